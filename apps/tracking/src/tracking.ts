import type { EventData } from '@palanquin/domain/events'
import { outboxRelay } from '@palanquin/events/outbox-relay'
import { type ErasureTokenOf, erasureTokens } from '@palanquin/service/erasure-token'
import type { Part } from '@palanquin/service/run'
import { schedule } from '@palanquin/service/schedule'
import { SeenIds } from '@palanquin/service/seen-ids'
import type { ServiceContext } from '@palanquin/service/start-service'
import { createAccessCheck } from './access/access-check.ts'
import { followActivity } from './access/activity.ts'
import { followEvents } from './access/consume.ts'
import { followJoinedDevices } from './access/joined-devices.ts'
import { followNewcomers } from './access/newcomers.ts'
import { followParticipants } from './access/participants.ts'
import { createApp } from './app.ts'
import { type RedisClock, redisClock, steadyNow } from './clock/redis-clock.ts'
import type { TrackingConfig } from './config.ts'
import { deviceReports } from './devices/reports.ts'
import { forgetReports, saveReports } from './devices/reports-store.ts'
import { followDeviceTokens } from './devices/tokens.ts'
import { participantEraser } from './erasure/erase.ts'
import { journalEraser } from './erasure/erase-journal.ts'
import { deleteOldTokens, matchesToken, restoreErasureTokens } from './erasure/token-store.ts'
import { createFlusher } from './flush/flusher.ts'
import { lastFlush } from './flush/last-flush.ts'
import { flushMetrics } from './flush/metrics.ts'
import { pointsPartitions } from './flush/partitions.ts'
import { waitingGauges } from './gauges.ts'
import { createWriteBehind } from './ingest/checkin/write-behind.ts'
import { openJournal } from './journal/journal.ts'
import { replayMetrics } from './journal/metrics.ts'
import { createRedisWatch } from './journal/redis-loss.ts'
import { createReplayer } from './journal/replay.ts'
import { entryWriter } from './journal/write-entry.ts'
import { packMetrics } from './packed/metrics.ts'
import { createPacker } from './packed/packer.ts'
import { aggregateTimeZone } from './rollup/time-zone.ts'
import { openStores } from './stores.ts'

/** For writes and a flush under way at SIGTERM; what Redis did not take by then is in the journal. */
const SETTLE_MS_MAX = 2_000
/** How soon a process sees that Redis has come back empty. */
const REDIS_CHECK_MS = 1_000
/** How soon a full disk of PostgreSQL is seen. */
const WRITE_PROBE_MS = 5_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Options = ServiceContext<TrackingConfig> & {
  /** The clock of this machine. */
  now?: () => number
  /** The clock that counts; that of Redis where none is given. */
  clock?: RedisClock
}

/** Opens the whole tracking service but for its port and its scheduled flush. */
export async function openTracking({
  config,
  log,
  metrics,
  failPoint,
  now = steadyNow,
  clock: given,
}: Options) {
  const tokenOf = erasureTokens(config.PSEUDONYM_SECRET)
  const seen = new SeenIds()
  const write = await openWritePath({ config, log, metrics, failPoint, now, tokenOf, seen })
  const { journal, stores, replayer, writeBehind, redisWatch } = write
  const { db, redis, eventReader } = stores
  await stores.part.start?.()
  waitingGauges({ registry: metrics, redis, journal, now })

  const clock = given ?? redisClock({ redis, own: now, log })
  const activity = followActivity({ db, redis, log })
  const participants = followParticipants({ db, tokenOf, log, names: false })
  const joinedDevices = followJoinedDevices({ db, tokenOf, log })
  const accessCheck = createAccessCheck({ activity, participants })
  const newcomers = followNewcomers(participants, seen)
  const tokens = followDeviceTokens({ db, log })
  const reports = deviceReports({ save: saveReports(db, config.EVENT_TIMEZONE), log })
  const eraseFromJournal = journalEraser({ journal, tokenOf })
  const eraseHere = async (erased: EventData<'participant.erased'>): Promise<void> => {
    const isErased = matchesToken(erased, tokenOf)
    tokens.erased(isErased)
    joinedDevices.erased(erased)
    reports.erased(isErased)
    // The event may come before the end that it names.
    await Bun.sleep(Math.max(0, Date.parse(erased.at) - clock.now()))
    await eraseFromJournal(erased)
  }
  const eraser = participantEraser({
    db,
    redis,
    tokenOf,
    failPoint,
    eraseFromJournal: eraseHere,
    now: clock.now,
  })
  const events = followEvents({
    activity,
    participants,
    joinedDevices,
    tokens,
    log,
    blocking: eventReader,
    onErased: eraseHere,
  })
  const relay = outboxRelay({ db, schema: 'tracking', redis, log, metrics, failPoint })
  const last = lastFlush(redis)
  const flusher = createFlusher({
    db,
    redis,
    tokenOf,
    failPoint,
    last,
    now: clock.now,
    log,
    driftGuard: config.driftGuard,
    publish: relay.publishNow,
    instance: journal.instance,
    partitions: pointsPartitions(db),
    zone: aggregateTimeZone(db, config.EVENT_TIMEZONE),
    metrics: flushMetrics(metrics),
  })
  const packer = createPacker({
    db,
    redis,
    failPoint,
    now: clock.now,
    log,
    instance: journal.instance,
    afterMs: config.PACK_AFTER_HOURS * HOUR_MS,
    metrics: packMetrics(metrics),
  })
  const app = createApp({
    config,
    log,
    metrics,
    failPoint,
    clock,
    tokenOf,
    stores,
    journal,
    replayer,
    redisWatch,
    writeBehind,
    activity,
    participants,
    accessCheck,
    joinedDevices,
    newcomers,
    flusher,
    last,
    eraser,
    tokens,
    reports,
    publish: () => void relay.publishNow(),
  })

  const housekeeping = schedule(log, [
    { name: 'redis-loss', everyMs: REDIS_CHECK_MS, run: redisWatch.check },
    { name: 'write probe', everyMs: WRITE_PROBE_MS, run: stores.writes.run },
    { name: 'old erasure tokens', everyMs: DAY_MS, run: () => deleteOldTokens(db, redis, clock.now()) },
    { name: 'reports of old devices', everyMs: DAY_MS, run: () => forgetReports(db) },
  ])
  const parts: Part[] = [
    clock,
    replayer,
    activity,
    participants,
    joinedDevices,
    tokens,
    reports,
    events,
    relay,
    housekeeping,
  ]
  for (const part of parts) await part.start?.()
  return {
    app,
    flusher,
    packer,
    journal,
    redis,
    clock,
    tokens,
    reports,
    /** Lets what is under way finish, then closes everything. */
    close: async (): Promise<void> => {
      packer.stop()
      flusher.hurry()
      await Promise.race([Promise.all([writeBehind.settled(), flusher.settled()]), Bun.sleep(SETTLE_MS_MAX)])
      for (const part of parts.toReversed()) await part.stop?.()
      await redisWatch
        .check()
        .catch((error: Error) =>
          log.debug({ event: 'journal.last_check_failed', reason: error.message }, 'Last check failed'),
        )
      await journal.close(redisWatch.epoch())
      await stores.part.stop?.()
    },
  }
}

/** The journal and what brings it to Redis. Its folder is locked first: nothing may be accepted without it. */
async function openWritePath({
  config,
  log,
  metrics,
  failPoint,
  now,
  tokenOf,
  seen,
}: ServiceContext<TrackingConfig> & { now: () => number; tokenOf: ErasureTokenOf; seen: SeenIds }) {
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
  const replayer = createReplayer({
    journal,
    now,
    log,
    write: entryWriter({ redis, tokenOf, seen, log }),
    isUp: () => redis.isReady,
    metrics: replayMetrics(metrics),
  })
  onReplayWanted = replayer.wakeIfIdle
  redis.on('ready', replayer.wake)
  const writeBehind = createWriteBehind({ journal, redis, tokenOf, failPoint, log })
  const restoreTokens = () => restoreErasureTokens(db, redis)
  const redisWatch = createRedisWatch({ journal, redis, restoreTokens, now, log })
  return { journal, stores, replayer, writeBehind, redisWatch }
}
