import type { Database } from '@palanquin/db/client'
import type { ActivityStatus, PauseMessage } from '@palanquin/domain/activity'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { type Activity, activityInDatabase, activityInRedis } from './activity-sources.ts'
import { closedFlags } from './closed-flags.ts'

/** A change holds everywhere within a second (contract section 5), events or not. */
const POLL_MS = 250
/** PostgreSQL is read less often, and only while Redis has no answer. */
const DATABASE_POLL_MS = 500

export type ActivityView = ReturnType<typeof followActivity>

/**
 * The activity's status as this process knows it, at most one poll old: from the Redis key, from PostgreSQL where the
 * key is missing, and the last known where neither answers (`active` at the very start).
 * It also keeps the shards' closed flags in Redis, which the script of a sync checks.
 */
export function followActivity({ db, redis, log }: { db: Database; redis: Redis; log: Log }) {
  let known: Activity | null = null
  let databaseAt = 0
  let timer: ReturnType<typeof setInterval> | undefined
  let polling: Promise<void> | undefined
  const flags = closedFlags(redis)

  const status = (): ActivityStatus => known?.status ?? 'active'

  /** Times of changes only grow, so an older one is out of date. */
  const update = (activity: Activity | null): void => {
    if (!activity || (known && activity.since < known.since)) return
    if (activity.status !== status())
      log.info({ event: 'activity.changed', status: activity.status }, 'The activity changed')
    known = activity
  }

  /** The other store, or the last known, answers then. */
  const unreadable = (error: unknown): null => {
    log.debug({ event: 'activity.unreadable', reason: String(error) }, 'The activity could not be read')
    return null
  }

  const fromDatabase = async (): Promise<Activity | null> => {
    if (known && performance.now() - databaseAt < DATABASE_POLL_MS) return null
    databaseAt = performance.now()
    return await activityInDatabase(db).catch(unreadable)
  }

  const poll = async (): Promise<void> => {
    update((await activityInRedis(redis).catch(unreadable)) ?? (await fromDatabase()))
    if (!known) return
    await flags.keep(status() === 'active' ? null : status()).catch((error: unknown) => {
      const reason = String(error)
      log.debug({ event: 'activity.flags_postponed', reason }, 'The closed flags are set once Redis is there')
    })
  }

  /** Polls now, after a poll under way. */
  const refresh = async (): Promise<void> => {
    while (polling) await polling
    polling = poll().finally(() => {
      polling = undefined
    })
    await polling
  }

  return {
    status,
    /** What the organisers say while it is paused. */
    message: (): PauseMessage | undefined => known?.message,
    refresh,
    /** Takes over what an event says. The flags follow with the next poll. */
    update: (activity: Activity): void => {
      update(activity)
      void refresh()
    },
    invalidateFlags: flags.invalidate,
    name: 'activity view',
    start: async (): Promise<void> => {
      timer = setInterval(() => {
        if (!polling) void refresh()
      }, POLL_MS)
      await refresh()
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await polling
    },
  }
}
