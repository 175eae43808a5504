import type { StoredEntry } from './entry.ts'

/** Web face, section 6: 20 MB of points of some 200 bytes. */
export const OUTBOX_POINTS_MAX = 100_000
const SPACING_MS = 30_000

/**
 * Which points a full outbox gives up: of the oldest half those less than 30 s after the one before, which the distance
 * rule would not count either.
 * @param entries of one person, oldest first
 */
export function thinned(entries: readonly StoredEntry[]): number[] {
  let lastMs = Number.NEGATIVE_INFINITY
  const given: number[] = []
  for (const { seq, point } of entries.slice(0, Math.floor(entries.length / 2))) {
    if (point.recordedAt - lastMs < SPACING_MS) given.push(seq)
    else lastMs = point.recordedAt
  }
  return given
}
