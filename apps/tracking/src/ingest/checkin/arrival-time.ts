/** Times are remembered for one to two generations of so long: corrections of the clock that set it back further are rare. */
const GENERATION_MS = 1_000
/** More check-ins than one process takes in a second without a time of their own. */
const TIMES_MAX = 10_000

/**
 * Times for check-ins that name none: the time of arrival, or the first millisecond after it that this participant has not had,
 * because two check-ins of one time are one. Five that arrive together are five. One that the gateway sends again, late, keeps
 * its time whatever came in between.
 */
export function arrivalTimes() {
  let newer = new Set<string>()
  let older = new Set<string>()
  let latest = 0
  let endsAt = Number.NEGATIVE_INFINITY
  return (userId: string, arrivedAt: number): number => {
    // What somebody was given ahead of the time is remembered until the time has come.
    if ((arrivedAt > endsAt && arrivedAt > latest) || newer.size >= TIMES_MAX) {
      older = newer
      newer = new Set()
      endsAt = arrivedAt + GENERATION_MS
    }
    let time = arrivedAt
    let name = `${time} ${userId}`
    while (newer.has(name) || older.has(name)) name = `${++time} ${userId}`
    newer.add(name)
    latest = Math.max(latest, time)
    return time
  }
}
