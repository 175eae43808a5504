import { connectDatabase } from '@palanquin/db/client'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { createHttpApp } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import { connectRedis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { eraseBuffered } from './buffer/erase.ts'
import { acceptCheckins } from './checkin/accept.ts'
import { replayCheckin, writeBehind } from './checkin/behind.ts'
import { checkinRoutes } from './checkin/route.ts'
import type { TrackingConfig } from './config.ts'
import { flushEverything } from './flush/everything.ts'
import { createFlusher } from './flush/flusher.ts'
import { lastFlush } from './flush/last.ts'
import { flushMetrics } from './flush/metrics.ts'
import { pointsPartitions } from './flush/partitions.ts'
import { flushRoutes } from './flush/route.ts'
import { followActivity } from './gate/activity.ts'
import { followEvents } from './gate/follow.ts'
import { createGate } from './gate/gate.ts'
import { followParticipants } from './gate/participants.ts'
import { waitingGauges } from './gauges.ts'
import { healthRoutes } from './health.ts'
import { openJournal } from './journal/journal.ts'
import { createReplayer } from './journal/replay.ts'
import { openLive } from './live/live.ts'
import { liveRoutes } from './live/route.ts'
import { acceptSyncs } from './track-sync/accept.ts'
import { trackSyncRoutes } from './track-sync/route.ts'

/** What is under way at SIGTERM has so long; what Redis did not take by then is in the journal anyway. */
const SETTLE_MS_MAX = 4_000

export type Tracking = Awaited<ReturnType<typeof openTracking>>

/**
 * Opens the tracking service without listening: its journal, its stores, its rooms. The journal's folder is taken
 * first, since nothing may be accepted without it.
 */
export async function openTracking({
  config,
  log,
  now = Date.now,
}: {
  config: TrackingConfig
  log: Log
  now?: () => number
}) {
  const { driftGuard, failPoint, validSources: sources } = config
  const metrics = createMetrics('tracking')
  let onLeft = () => {}
  const journal = await openJournal({
    folder: config.JOURNAL_DIR,
    bytesMax: config.JOURNAL_BYTES_MAX,
    fsync: config.journalFsync,
    now,
    log,
    onLeft: () => onLeft(),
  })
  const redis = connectRedis({ url: config.REDIS_URL, name: 'tracking', log })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'tracking', log })
  const database = storeProbe('PostgreSQL', db.ping)
  const keyValue = storeProbe('Redis', () => redis.ping())

  waitingGauges({ registry: metrics, redis, journal, now })

  const replayer = createReplayer({
    journal,
    write: replayCheckin({ redis, log }),
    isUp: () => redis.isReady,
    now,
    log,
  })
  onLeft = replayer.nudge
  redis.on('ready', replayer.kick)
  const behind = writeBehind({ journal, redis, failPoint, log })
  const last = lastFlush(redis)
  const activity = followActivity({ db, redis, log })
  const participants = followParticipants({ db, log })
  const gate = createGate({ activity, participants })
  const blocking = connectRedis({ url: config.REDIS_URL, name: 'tracking:events', log, blocking: true })
  const liveBlocking = connectRedis({ url: config.REDIS_URL, name: 'tracking:live', log, blocking: true })
  const live = openLive({
    db,
    blocking: liveBlocking,
    participants,
    pseudonymSecret: config.PSEUDONYM_SECRET,
    now,
    log,
  })
  const onErased = async (userId: string) => {
    live.erase(userId)
    await eraseBuffered(redis, userId)
  }
  const events = followEvents({ blocking, activity, participants, onErased, log })
  const relay = outboxRelay({ db, schema: 'tracking', redis, log, metrics, failPoint })
  const flusher = createFlusher({
    instance: journal.instance,
    db,
    redis,
    partitions: pointsPartitions(db),
    driftGuard,
    failPoint,
    metrics: flushMetrics(metrics),
    log,
    last,
    announce: async () => {
      void live.refresh()
      await relay.kick()
    },
    now,
  })

  const app = createHttpApp({
    service: 'tracking',
    internalToken: config.INTERNAL_TOKEN,
    log,
    metrics,
    readiness: async () => ({ postgres: await database(), redis: await keyValue() }),
  })
    .use(checkinRoutes(acceptCheckins({ journal, behind, gate, sources, failPoint, now })))
    .use(trackSyncRoutes(acceptSyncs({ redis, gate, sources, now })))
    .use(flushRoutes(flushEverything({ activity, journal, replayer, flusher })))
    .use(liveRoutes(live))
    .use(healthRoutes({ redis, journal, last, database, keyValue }))

  const parts: Part[] = [replayer, activity, participants, events, relay, ...live.parts]
  for (const part of parts) await part.start?.()
  return {
    app,
    flusher,
    journal,
    redis,
    db,
    /** Ends the event streams: the server waits for them before it stops. */
    endStreams: live.streams.stop,
    /** Lets what is under way finish, then lets go of everything. */
    close: async (): Promise<void> => {
      await Promise.race([Promise.all([behind.settled(), flusher.settled()]), Bun.sleep(SETTLE_MS_MAX)])
      for (const part of parts.toReversed()) await part.stop?.()
      await journal.close()
      blocking.destroy()
      liveBlocking.destroy()
      redis.destroy()
      await db.close()
    },
  }
}
