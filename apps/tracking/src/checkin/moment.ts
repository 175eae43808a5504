const FORGOTTEN_AFTER_MS = 1_000
const USERS_MAX = 10_000

/**
 * Times for check-ins that name none: the time of arrival, moved on by a millisecond where that participant has had it,
 * because two check-ins of one time are one. Five that arrive together are five.
 */
export function distinctMoments() {
  const lastOf = new Map<string, number>()
  return (userId: string, nowMs: number): number => {
    const last = lastOf.get(userId)
    const moment = last !== undefined && last >= nowMs ? last + 1 : nowMs
    lastOf.set(userId, moment)
    if (lastOf.size > USERS_MAX)
      for (const [user, at] of lastOf) if (at < nowMs - FORGOTTEN_AFTER_MS) lastOf.delete(user)
    return moment
  }
}
