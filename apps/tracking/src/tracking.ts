import { outboxRelay } from '@palanquin/events/outbox-relay'
import { jobs } from '@palanquin/service/jobs'
import type { Log } from '@palanquin/service/log'
import { createMetrics, type Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { createAccessCheck } from './access/access-check.ts'
import { followActivity } from './access/activity.ts'
import { followEvents } from './access/consume.ts'
import { followParticipants } from './access/participants.ts'
import { createApp } from './app.ts'
import { type RedisClock, redisClock } from './clock/redis-clock.ts'
import type { TrackingConfig } from './config.ts'
import { eraseParticipants } from './erasure/erase.ts'
import { journalEraser } from './erasure/erase-journal.ts'
import { type ErasureTokenOf, erasureTokens } from './erasure/token.ts'
import { deleteOldTokens, restoreErasureTokens } from './erasure/token-store.ts'
import { createFlusher } from './flush/flusher.ts'
import { lastFlush } from './flush/last-flush.ts'
import { flushMetrics } from './flush/metrics.ts'
import { pointsPartitions } from './flush/partitions.ts'
import { waitingGauges } from './gauges.ts'
import { createWriteBehind } from './ingest/checkin/write-behind.ts'
import { aggregateZone } from './rollup/time-zone.ts'
import { openStores } from './stores.ts'
import { openJournal } from './wal/journal.ts'
import { replayMetrics } from './wal/metrics.ts'
import { createReplayer } from './wal/replay.ts'
import { createRetention } from './wal/retention.ts'
import { entryWriter } from './wal/write-entry.ts'

/** What is under way at SIGTERM has so long; what Redis did not take by then is in the journal anyway. */
const SETTLE_MS_MAX = 4_000

/** How soon a process sees that Redis has come back empty. */
const LOOK_EVERY_MS = 1_000
const FORGET_EVERY_MS = 24 * 3_600_000

/** `now` is the clock of the machine; `clock` the one that counts, Redis' where none is given. */
type Options = { config: TrackingConfig; log: Log; now?: () => number; clock?: RedisClock }

export type Tracking = Awaited<ReturnType<typeof openTracking>>

/** The journal and what brings it to Redis. Its folder is taken first: nothing may be accepted without it. */
async function openWriting({
  config,
  log,
  now = Date.now,
  tokenOf,
  metrics,
}: Options & { tokenOf: ErasureTokenOf; metrics: Metrics }) {
  let onReplayWanted = () => {}
  const journal = await openJournal({
    folder: config.JOURNAL_DIR,
    bytesMax: config.JOURNAL_BYTES_MAX,
    fsync: config.journalFsync,
    now,
    log,
    onReplayWanted: () => onReplayWanted(),
  })
  const stores = openStores({ config, log })
  const { redis, db } = stores
  const write = entryWriter({ redis, tokenOf, log })
  const replayer = createReplayer({
    ...{ journal, write, isUp: () => redis.isReady, now, log },
    metrics: replayMetrics(metrics),
  })
  onReplayWanted = replayer.wakeIfIdle
  redis.on('ready', replayer.kick)
  const writeBehind = createWriteBehind({ journal, redis, tokenOf, failPoint: config.failPoint, log })
  const retention = createRetention({
    journal,
    redis,
    restoreTokens: () => restoreErasureTokens(db, redis),
    now,
    log,
  })
  return { journal, stores, replayer, writeBehind, retention }
}

/** Opens the whole tracking service but for its port and its schedule. */
export async function openTracking({ config, log, now = Date.now, clock: given }: Options) {
  const { driftGuard, failPoint, PSEUDONYM_SECRET: pseudonymSecret } = config
  const tokenOf = erasureTokens(pseudonymSecret)
  const metrics = createMetrics('tracking')
  const { journal, stores, replayer, writeBehind, retention } = await openWriting({
    ...{ config, log, now, tokenOf, metrics },
  })
  const { db, redis, eventReader } = stores
  waitingGauges({ registry: metrics, redis, journal, now })

  const clock = given ?? redisClock({ redis, own: now, log })
  const activity = followActivity({ db, redis, log })
  const participants = followParticipants({ db, tokenOf, log })
  const accessCheck = createAccessCheck({ activity, participants })
  const forget = journalEraser({ journal, tokenOf })
  const erase = eraseParticipants({ db, redis, tokenOf, forget, failPoint, now: clock.now })
  const events = followEvents({ blocking: eventReader, activity, participants, onErased: forget, log })
  const relay = outboxRelay({ db, schema: 'tracking', redis, log, metrics, failPoint })
  const last = lastFlush(redis)
  const flusher = createFlusher({
    ...{ db, redis, tokenOf, driftGuard, failPoint, last, now: clock.now, log },
    announce: relay.kick,
    instance: journal.instance,
    partitions: pointsPartitions(db),
    zone: aggregateZone(db, config.EVENT_TIMEZONE),
    metrics: flushMetrics(metrics),
  })
  const modules = {
    config,
    stores,
    journal,
    replayer,
    retention,
    writeBehind,
    activity,
    accessCheck,
    flusher,
    last,
    participants,
    tokenOf,
    erase,
  }
  const app = createApp({ ...modules, metrics, log, clock })

  const housekeeping = jobs(log, [
    { name: 'safekeeping', everyMs: LOOK_EVERY_MS, run: retention.look },
    { name: 'old marks', everyMs: FORGET_EVERY_MS, run: () => deleteOldTokens(db, redis, clock.now()) },
  ])
  const parts: Part[] = [clock, replayer, activity, participants, events, relay, housekeeping]
  for (const part of parts) await part.start?.()
  return {
    app,
    flusher,
    journal,
    redis,
    /** Lets what is under way finish, then lets go of everything. */
    close: async (): Promise<void> => {
      await Promise.race([Promise.all([writeBehind.settled(), flusher.settled()]), Bun.sleep(SETTLE_MS_MAX)])
      for (const part of parts.toReversed()) await part.stop?.()
      await retention
        .look()
        .catch((error: Error) => log.debug({ reason: error.message }, 'a last look failed'))
      await journal.close(retention.epoch())
      await stores.close()
    },
  }
}
