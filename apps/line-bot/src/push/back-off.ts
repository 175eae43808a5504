const FIRST_MS = 1_000
const MAX_MS = 5 * 60_000

/**
 * Milliseconds before a call is made again after so many attempts: doubling from one second to five minutes, each
 * between half and all of that, so that copies do not come back together. `chance` is from 0 to 1.
 */
export function backOffMs(attempts: number, chance: number): number {
  const wholeMs = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 30))
  return Math.round(wholeMs / 2 + (wholeMs / 2) * chance)
}
