import QuickLRU from 'quick-lru'

/** A participant who sent nothing since twice as many others has had an earlier millisecond. */
const USERS_MAX = 10_000

/**
 * Times for check-ins that name none: the time of arrival, a millisecond later where that participant has had it,
 * because two check-ins of one time are one. Five that arrive together are five.
 */
export function arrivalTimes() {
  const lastOf = new QuickLRU<string, number>({ maxSize: USERS_MAX })
  return (userId: string, nowMs: number): number => {
    const last = lastOf.get(userId)
    const time = last !== undefined && last >= nowMs ? last + 1 : nowMs
    lastOf.set(userId, time)
    return time
  }
}
