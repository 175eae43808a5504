import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { Compile } from 'typebox/compile'
import { compareAndSet } from './compare-and-set.ts'
import { type ActivityStore, AnnouncedActivity } from './store.ts'

/** JSON `{status, since, by, message?}`; tracking asks here whether positions are taken. The database is the truth. */
const ACTIVITY_KEY = 'activity'
const REDIS_DEADLINE_MS = 500
/** Each failed try means that somebody else wrote in between. */
const TRIES_MAX = 5

const activities = Compile(AnnouncedActivity)

export type Projection = ReturnType<typeof activityProjection>

/**
 * Keeps the Redis key `activity` equal to the database's row, and the latest status in memory for health.
 * The key is read before the row, and swapped only if it is still what was read: whoever read an older row cannot
 * overwrite a newer one, whatever the order in which several processes get to it.
 */
export function activityProjection({ store, redis, log }: { store: ActivityStore; redis: Redis; log: Log }) {
  let latest: AnnouncedActivity | null = null
  const reach = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })

  const projectOnce = async (): Promise<boolean> => {
    const raw = await reach(redis.get(ACTIVITY_KEY)).catch((error: unknown) => {
      log.debug({ reason: String(error) }, 'the activity is read without Redis')
      return undefined
    })
    try {
      const { outcome: _, ...activity } = await store.read()
      latest = activity
    } catch (error) {
      // Better than nothing for health: what was true when the database was last there.
      if (error instanceof StoreUnavailable) latest = readActivity(raw) ?? latest
      throw error
    }
    if (raw === undefined) throw new StoreUnavailable('buffer')
    const to = JSON.stringify(latest)
    return raw === to || (await reach(compareAndSet(redis, ACTIVITY_KEY, { from: raw, to })))
  }

  return {
    /** The status that this process saw last, at most half a second ago while the database is there. */
    latest: () => latest,
    /** Brings the key up to date; false when a store is away (it is tried again every half second). */
    project: async (): Promise<boolean> => {
      try {
        for (let tries = 0; tries < TRIES_MAX; tries++) if (await projectOnce()) return true
      } catch (error) {
        log.debug({ reason: String(error) }, 'the activity could not be projected')
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
