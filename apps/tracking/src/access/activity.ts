import type { Database } from '@palanquin/db/client'
import { ActivityStatus, PauseMessage } from '@palanquin/domain/activity'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { callRedis } from '../buffer/call-redis.ts'
import { closedKey } from '../buffer/keys.ts'

/** Written by engagement; PostgreSQL is the truth behind it. */
const ACTIVITY_KEY = 'activity'
/** A change holds everywhere within a second (contract section 5), events or not. */
const POLL_MS = 250
/** PostgreSQL is asked less often, and only while Redis does not say. */
const DATABASE_POLL_MS = 500
const READ_DEADLINE_MS = 500
/** Gates are put up again now and then while they should stand: Redis may have come back without them. */
const FLAG_REPAIR_MS = 2_000

const Activity = Type.Object({
  status: ActivityStatus,
  since: Type.String(),
  message: Type.Optional(PauseMessage),
})
type Activity = Static<typeof Activity>
const activities = Compile(Activity)
const messages = Compile(PauseMessage)

export type ActivityView = ReturnType<typeof followActivity>

/**
 * The activity's status as this process knows it, never further than a poll behind: from the Redis key, from
 * PostgreSQL where the key is missing, and the last known where neither answers (`active` at the very start).
 * It also keeps the shards' gates in Redis, at which the write of a sync looks.
 */
export function followActivity({ db, redis, log }: { db: Database; redis: Redis; log: Log }) {
  let known: Activity | null = null
  let flags: 'open' | 'shut' | 'unknown' = 'unknown'
  let flagsAt = 0
  let databaseAt = 0
  let timer: ReturnType<typeof setInterval> | undefined
  let looking: Promise<void> | undefined

  const status = (): ActivityStatus => known?.status ?? 'active'

  /** Times of changes only grow, so what is older than what we know is a late echo. */
  const learn = (activity: Activity | null): void => {
    if (!activity || (known && activity.since < known.since)) return
    if (activity.status !== status()) log.info({ status: activity.status }, 'the activity changed')
    known = activity
  }

  /** The other store, or what we know, answers then. */
  const notThere = (error: unknown): null => {
    log.debug({ reason: String(error) }, 'the activity cannot be read there')
    return null
  }

  const fromRedis = async (): Promise<Activity | null> => {
    if (!redis.isReady) return null
    const raw = await callRedis(redis.get(ACTIVITY_KEY), READ_DEADLINE_MS).catch(notThere)
    return parseActivity(raw)
  }

  const fromDatabase = async (): Promise<Activity | null> => {
    if (performance.now() - databaseAt < DATABASE_POLL_MS && known) return null
    databaseAt = performance.now()
    const rows = await db
      .query<{ status: ActivityStatus; since: Date; message: unknown }>(
        'SELECT status, since, message FROM engagement.activity',
        [],
        { deadlineMs: READ_DEADLINE_MS },
      )
      .catch(notThere)
    const row = rows?.[0]
    if (!row) return null
    const { status, since, message } = row
    const said = messages.Check(message) ? { message } : {}
    return { status, since: since.toISOString(), ...said }
  }

  const keepClosedFlags = async (): Promise<void> => {
    const wanted = status() === 'active' ? 'open' : 'shut'
    const stale = wanted === 'shut' && performance.now() - flagsAt > FLAG_REPAIR_MS
    if (!known || (flags === wanted && !stale)) return
    await setClosedFlags(redis, wanted === 'shut' ? status() : null)
    flags = wanted
    flagsAt = performance.now()
  }

  const look = async (): Promise<void> => {
    learn((await fromRedis()) ?? (await fromDatabase()))
    await keepClosedFlags().catch((error: unknown) => {
      flags = 'unknown'
      log.debug({ reason: String(error) }, 'the gates are set as soon as Redis is there')
    })
  }

  /** Looks now, after a look that is under way. */
  const refresh = async (): Promise<void> => {
    while (looking) await looking
    looking = look().finally(() => {
      looking = undefined
    })
    await looking
  }

  return {
    status,
    /** What the organisers say while it is paused. */
    message: (): PauseMessage | undefined => known?.message,
    refresh,
    /** What an event says. The gates follow with the next look. */
    learn: (activity: Activity): void => {
      learn(activity)
      void refresh()
    },
    /** The gates stand against what we know: open them anew. */
    invalidateFlags: (): void => {
      flags = 'unknown'
    },
    name: 'activity view',
    start: async (): Promise<void> => {
      timer = setInterval(() => {
        if (!looking) void refresh()
      }, POLL_MS)
      await refresh()
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await looking
    },
  }
}

function parseActivity(raw: string | null): Activity | null {
  try {
    const value: unknown = JSON.parse(raw ?? 'null')
    return activities.Check(value) ? value : null
  } catch {
    return null // not ours to repair: engagement writes the key anew within half a second
  }
}

async function setClosedFlags(redis: Redis, status: string | null): Promise<void> {
  const keys = Array.from({ length: SHARD_COUNT }, (_, shard) => closedKey(shard))
  // One call a shard: on a cluster they live on several nodes.
  const calls: Promise<unknown>[] = keys.map((key) =>
    status === null ? redis.del(key) : redis.set(key, status),
  )
  await callRedis(Promise.all(calls))
}
