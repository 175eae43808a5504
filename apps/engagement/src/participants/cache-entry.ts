import { shardOf, shardTag } from '@palanquin/domain/ids'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Snapshot } from './snapshot.ts'

const CacheEntry = Type.Object({ version: Type.String(), snapshot: Snapshot })
export type CacheEntry = Static<typeof CacheEntry>

const entries = Compile(CacheEntry)

/** Parses an entry; null for none, for a tombstone, and for the format of another version of this service. */
export function readEntry(raw: string): CacheEntry | null {
  if (!raw.startsWith('{')) return null
  const value: unknown = JSON.parse(raw)
  return entries.Check(value) ? value : null
}

/** Keys of a participant and its shard; tracking writes `pending`, `flushed` and `waiting`. */
export function keysOf(userId: string) {
  const tag = shardTag(shardOf(userId))
  return {
    statistics: `${tag}:stats:${userId}`,
    pending: `${tag}:pending:${userId}`,
    flushed: `${tag}:flushed`,
    waiting: `${tag}:waiting`,
    erasures: `${tag}:erasures`,
  }
}
