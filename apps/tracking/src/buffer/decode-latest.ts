import type { Point } from '@palanquin/domain/point'
import { decodeTuple, openEntry, openHead } from './decode.ts'
import { PACKED_MARK } from './packed-layout.ts'
import type { Entry } from './read.ts'
import { unpackLatest } from './unpack-points.ts'

/**
 * The latest valid point of an entry, the first of several with that time; null where there is none. The map needs no
 * other, and judging all of them would cost more than the rest of its work.
 */
export function decodeLatest(entry: Entry, shard: number): { userId: string; point: Point } | null {
  return latestOfPacked(entry, shard) ?? latestOfAll(entry, shard)
}

/** Undefined for other entries, and where the latest point is not valid. */
function latestOfPacked(entry: Entry, shard: number): { userId: string; point: Point } | undefined {
  const { p: packed = '' } = entry.fields
  if (!packed.startsWith(PACKED_MARK)) return undefined
  const opened = openHead(entry, shard)
  const latest = typeof opened === 'string' ? opened : unpackLatest(packed)
  if (typeof opened === 'string' || typeof latest === 'string') return undefined
  const outcome = decodeTuple(latest, opened)
  return typeof outcome === 'string' ? undefined : { userId: opened.userId, point: outcome.point }
}

function latestOfAll(entry: Entry, shard: number): { userId: string; point: Point } | null {
  const opened = openEntry(entry, shard)
  if (typeof opened === 'string') return null
  const { userId, tuples } = opened
  let latest: Point | null = null
  // Backwards: points are mostly in order, so the first one tried is the latest.
  for (const tuple of tuples.toReversed()) {
    if (latest && !(timeOf(tuple) >= latest.recordedAt)) continue
    const outcome = decodeTuple(tuple, opened)
    if (typeof outcome !== 'string') latest = outcome.point
  }
  return latest && { userId, point: latest }
}

const timeOf = (tuple: unknown): number =>
  Array.isArray(tuple) && typeof tuple[0] === 'number' ? tuple[0] : Number.NaN
