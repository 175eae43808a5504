/** Ids of stream entries, `<ms>-<sequence>`: their order is that of the numbers, not of the text. */

/** Before every entry. */
export const BEFORE_ALL = '0-0'

/** The two numbers of an id; both fit a double for the next thousands of years. */
export function splitEntryId(id: string): readonly [ms: number, sequence: number] {
  const dash = id.indexOf('-')
  return dash < 0 ? [Number(id), 0] : [Number(id.slice(0, dash)), Number(id.slice(dash + 1))]
}

/** Below zero when `a` came first, zero for the same entry. */
export function compareEntryIds(a: string, b: string): number {
  if (a === b) return 0
  const [aMs, aSequence] = splitEntryId(a)
  const [bMs, bSequence] = splitEntryId(b)
  return aMs === bMs ? aSequence - bSequence : aMs - bMs
}
