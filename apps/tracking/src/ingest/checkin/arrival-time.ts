/** Times are remembered for one to two generations of so long: corrections of the clock that set it back further are rare. */
const GENERATION_MS = 1_000
/** More participants than check in within a second here. */
const USERS_MAX = 10_000

/**
 * Times for check-ins that name none: the time of arrival, a millisecond later where that participant has had it,
 * because two check-ins of one time are one. Five that arrive together are five.
 */
export function arrivalTimes() {
  let newer = new Map<string, number>()
  let older = new Map<string, number>()
  let latest = 0
  let endsAt = Number.NEGATIVE_INFINITY
  return (userId: string, nowMs: number): number => {
    // What somebody was given ahead of the time is remembered until the time has come.
    if ((nowMs > endsAt && nowMs > latest) || newer.size >= USERS_MAX) {
      older = newer
      newer = new Map()
      endsAt = nowMs + GENERATION_MS
    }
    const last = newer.get(userId) ?? older.get(userId)
    const time = last !== undefined && last >= nowMs ? last + 1 : nowMs
    newer.set(userId, time)
    latest = Math.max(latest, time)
    return time
  }
}
