import { outboxRelay } from '@palanquin/events/outbox-relay'
import type { Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { createApp } from './app.ts'
import { eraseBuffered } from './buffer/erase.ts'
import { replayCheckin, writeBehind } from './checkin/behind.ts'
import type { TrackingConfig } from './config.ts'
import { createFlusher } from './flush/flusher.ts'
import { lastFlush } from './flush/last.ts'
import { flushMetrics } from './flush/metrics.ts'
import { pointsPartitions } from './flush/partitions.ts'
import { followActivity } from './gate/activity.ts'
import { followEvents } from './gate/follow.ts'
import { createGate } from './gate/gate.ts'
import { followParticipants } from './gate/participants.ts'
import { waitingGauges } from './gauges.ts'
import { openJournal } from './journal/journal.ts'
import { createReplayer } from './journal/replay.ts'
import { openLive } from './live/live.ts'
import { aggregateZone } from './rollup/zone.ts'
import { openStores } from './stores.ts'

/** What is under way at SIGTERM has so long; what Redis did not take by then is in the journal anyway. */
const SETTLE_MS_MAX = 4_000

type Options = { config: TrackingConfig; log: Log; now?: () => number }

export type Tracking = Awaited<ReturnType<typeof openTracking>>

/** The journal and what brings it to Redis. Its folder is taken first: nothing may be accepted without it. */
async function openWriting({ config, log, now = Date.now }: Options) {
  let onLeft = () => {}
  const journal = await openJournal({
    folder: config.JOURNAL_DIR,
    bytesMax: config.JOURNAL_BYTES_MAX,
    fsync: config.journalFsync,
    now,
    log,
    onLeft: () => onLeft(),
  })
  const stores = openStores({ config, log })
  const { redis } = stores
  const write = replayCheckin({ redis, log })
  const replayer = createReplayer({ journal, write, isUp: () => redis.isReady, now, log })
  onLeft = replayer.nudge
  redis.on('ready', replayer.kick)
  const behind = writeBehind({ journal, redis, failPoint: config.failPoint, log })
  return { journal, stores, replayer, behind }
}

/** Opens the whole tracking service but for its port and its schedule. */
export async function openTracking({ config, log, now = Date.now }: Options) {
  const { driftGuard, failPoint, PSEUDONYM_SECRET: pseudonymSecret } = config
  const { journal, stores, replayer, behind } = await openWriting({ config, log, now })
  const { db, redis, eventReader, mapReader } = stores
  const metrics = createMetrics('tracking')
  waitingGauges({ registry: metrics, redis, journal, now })

  const activity = followActivity({ db, redis, log })
  const participants = followParticipants({ db, log })
  const gate = createGate({ activity, participants })
  const live = openLive({ db, blocking: mapReader, participants, pseudonymSecret, now, log })
  const onErased = async (userId: string) => {
    live.erase(userId)
    await eraseBuffered(redis, userId)
  }
  const events = followEvents({ blocking: eventReader, activity, participants, onErased, log })
  const relay = outboxRelay({ db, schema: 'tracking', redis, log, metrics, failPoint })
  const announce = async () => {
    void live.refresh()
    await relay.kick()
  }
  const last = lastFlush(redis)
  const flusher = createFlusher({
    ...{ db, redis, driftGuard, failPoint, last, announce, now, log },
    instance: journal.instance,
    partitions: pointsPartitions(db),
    zone: aggregateZone(db, config.EVENT_TIMEZONE),
    metrics: flushMetrics(metrics),
  })
  const rooms = { config, stores, journal, replayer, behind, activity, gate, flusher, last, live }
  const app = createApp({ ...rooms, metrics, log, now })

  const parts: Part[] = [replayer, activity, participants, events, relay, ...live.parts]
  for (const part of parts) await part.start?.()
  return {
    app,
    flusher,
    journal,
    redis,
    /** Ends the event streams: the server waits for them before it stops. */
    endStreams: live.streams.stop,
    /** Lets what is under way finish, then lets go of everything. */
    close: async (): Promise<void> => {
      await Promise.race([Promise.all([behind.settled(), flusher.settled()]), Bun.sleep(SETTLE_MS_MAX)])
      for (const part of parts.toReversed()) await part.stop?.()
      await journal.close()
      await stores.close()
    },
  }
}
