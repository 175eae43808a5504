import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import { type EntryNumber, isAfter } from './cursor.ts'

/** Erasures remembered for each shard; older ones have reached every reader. */
const ERASURES_MAX = 256

/** The latest erasures by erasure token: a reader may still deliver what it read of the participant before. */
export function createRecentErasures(tokenOf: ErasureTokenOf) {
  const shards: Map<string, EntryNumber>[] = Array.from({ length: SHARD_COUNT }, () => new Map())
  return {
    add: ({ shard, token, upTo }: { shard: number; token: string; upTo: EntryNumber }): void => {
      const erasures = shards[shard]
      if (!erasures) return
      erasures.set(token, upTo)
      for (const oldest of erasures.size > ERASURES_MAX ? erasures.keys() : []) {
        erasures.delete(oldest)
        break
      }
    },
    /** Whether the participant was erased after this entry. */
    covers: (userId: string, entry: EntryNumber): boolean => {
      const erasures = shards[shardOf(userId)]
      if (!erasures || erasures.size === 0) return false
      const upTo = erasures.get(tokenOf(userId))
      return upTo !== undefined && !isAfter(entry, upTo)
    },
  }
}
