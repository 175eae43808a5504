import type { Count } from '../memory/local-windows.ts'

/** A call on a key, or so many `calls`, or with `take: false` a look at it. `spent` of the limit was used up elsewhere. */
export type CountRequest = {
  key: string
  limit: number
  spent: number
  windowMs: number
  take: boolean
  calls?: number | undefined
}

/** Calls on one key that follow one another, to be counted at once; 0 is a look. */
export type CallGroup = Omit<CountRequest, 'take' | 'calls'> & { calls: number }
/** How many of a group's calls were admitted, and the window behind them; of a look 1 where a call would be admitted, or 0. */
export type GroupCount = { admitted: number; used: number; freeInMs: number }

/**
 * Groups the calls of one moment by their key, because many participants share an address, and says what each of them is answered:
 * the same as if they were counted one after another. Of several calls it is what the last of them is answered.
 */
export function groupedCalls(requests: readonly CountRequest[]) {
  const groups: CallGroup[] = []
  /** The group that a further call on a key may join, by its place. */
  const open = new Map<string, number>()
  /** The group of each request, and its place in it from 1 on. */
  const places: { at: number; nth: number }[] = []
  for (const { key, limit, spent, windowMs, take, calls = 1 } of requests) {
    const at = take ? open.get(key) : undefined
    const group = at === undefined ? undefined : groups[at]
    const isSame = group?.limit === limit && group.spent === spent && group.windowMs === windowMs
    if (group && at !== undefined && isSame) {
      group.calls += calls
      places.push({ at, nth: group.calls })
      continue
    }
    if (take) open.set(key, groups.length)
    else open.delete(key)
    places.push({ at: groups.length, nth: take ? calls : 0 })
    groups.push({ key, limit, spent, windowMs, calls: take ? calls : 0 })
  }
  const countsOf = (counts: readonly GroupCount[]): Count[] =>
    places.map(({ at, nth }) => {
      const { admitted, used, freeInMs } = counts[at] ?? { admitted: 0, used: 0, freeInMs: 0 }
      if (nth === 0) return { allowed: admitted === 1, used, freeInMs }
      return nth <= admitted
        ? { allowed: true, used: used - admitted + nth, freeInMs }
        : { allowed: false, used, freeInMs }
    })
  return { groups, countsOf }
}
