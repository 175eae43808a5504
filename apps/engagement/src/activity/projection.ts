import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { Compile } from 'typebox/compile'
import { compareAndSet } from './compare-and-set.ts'
import { type ActivityStore, AnnouncedActivity } from './store.ts'

/** JSON `{status, since, by, message?}`, read by tracking; the database is the source of truth. */
const ACTIVITY_KEY = 'activity'
const REDIS_DEADLINE_MS = 500
/** Each failed attempt means a concurrent write. */
const TRIES_MAX = 5

const activities = Compile(AnnouncedActivity)

export type Projection = ReturnType<typeof activityProjection>

/** Copies the row into the Redis key `activity`, comparing the key, so that no older row replaces a newer one. */
export function activityProjection({
  store,
  redis,
  log,
  redisDeadlineMs: deadlineMs = REDIS_DEADLINE_MS,
}: {
  store: ActivityStore
  redis: Redis
  log: Log
  redisDeadlineMs?: number | undefined
}) {
  let latest: AnnouncedActivity | null = null
  const reach = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs })

  const projectOnce = async (): Promise<boolean> => {
    const raw = await reach(redis.get(ACTIVITY_KEY)).catch((error: unknown) => {
      log.debug(
        { event: 'activity.redis_unavailable', reason: String(error) },
        'Activity is read without Redis',
      )
      return undefined
    })
    try {
      const { outcome: _, ...activity } = await store.read()
      latest = activity
    } catch (error) {
      // Without the database, health shows the last projected status.
      if (error instanceof StoreUnavailable) latest = readActivity(raw) ?? latest
      throw error
    }
    if (raw === undefined) throw new StoreUnavailable('buffer')
    const to = JSON.stringify(latest)
    return raw === to || (await reach(compareAndSet(redis, ACTIVITY_KEY, { from: raw, to })))
  }

  return {
    /** The latest known status; at most half a second old while the database is up. */
    latest: () => latest,
    /** Updates the key; false when a store is away (the schedule tries again). */
    project: async (): Promise<boolean> => {
      try {
        for (let tries = 0; tries < TRIES_MAX; tries++) if (await projectOnce()) return true
      } catch (error) {
        log.debug(
          { event: 'activity.projection_failed', reason: String(error) },
          'Activity could not be projected',
        )
      }
      return false
    },
  }
}

function readActivity(raw: string | null | undefined): AnnouncedActivity | null {
  if (!raw) return null
  const value: unknown = JSON.parse(raw)
  return activities.Check(value) ? value : null
}
