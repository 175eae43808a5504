import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import type { ErasureTokenOf } from '../../erasure/token.ts'
import { type EntryNumber, isPending } from './cursor.ts'

/** Erasures of a shard that are remembered; what is older has reached every reader long since. */
const ERASURES_MAX = 256

/** Who was erased lately, by mark: a reader may still have in hand what it read of them before. */
export function erasedMarks(tokenOf: ErasureTokenOf) {
  const shards: Map<string, EntryNumber>[] = Array.from({ length: SHARD_COUNT }, () => new Map())
  return {
    note: ({ shard, mark, upTo }: { shard: number; mark: string; upTo: EntryNumber }): void => {
      const marks = shards[shard]
      if (!marks) return
      marks.set(mark, upTo)
      for (const oldest of marks.size > ERASURES_MAX ? marks.keys() : []) {
        marks.delete(oldest)
        break
      }
    },
    /** Whether an entry is one of somebody from before they were erased. */
    has: (userId: string, entry: EntryNumber): boolean => {
      const marks = shards[shardOf(userId)]
      if (!marks || marks.size === 0) return false
      const upTo = marks.get(tokenOf(userId))
      return upTo !== undefined && !isPending(entry, upTo)
    },
  }
}
