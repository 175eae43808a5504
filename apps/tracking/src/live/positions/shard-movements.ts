import { SHARD_COUNT } from '@palanquin/domain/ids'
import { type EntryNumber, isAfter, STREAM_START } from './cursor.ts'
import { MovementLog } from './movement-log.ts'
import type { PositionColumns } from './position-columns.ts'

/** What moved in each shard, in the order of its stream, and up to which entry of the stream this is known. */
export class ShardMovements {
  readonly #logs: readonly MovementLog[]
  readonly #seen: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => STREAM_START)

  constructor(columns: PositionColumns) {
    this.#logs = Array.from({ length: SHARD_COUNT }, () => new MovementLog(columns))
  }

  add(shard: number, slot: number, isNew: boolean): void {
    this.#logs[shard]?.add(slot, isNew)
  }

  remove(shard: number, slot: number): void {
    this.#logs[shard]?.remove(slot)
  }

  /** The last entry of the shard that is known. */
  seen(shard: number): EntryNumber {
    return this.#seen[shard] ?? STREAM_START
  }

  /** Notes that everything up to this entry of the shard is known. */
  advance(shard: number, entry: EntryNumber): void {
    if (isAfter(entry, this.seen(shard))) this.#seen[shard] = entry
  }

  /** The last known entry of each shard. */
  allSeen(): EntryNumber[] {
    return [...this.#seen]
  }

  /** The slots of a shard that moved after an entry, in order. */
  since(shard: number, entry: EntryNumber): Iterable<number> {
    return this.#logs[shard]?.since(entry) ?? []
  }

  /** An upper bound of the positions that moved in all shards after these entries. */
  countSince(shards: readonly EntryNumber[]): number {
    return this.#logs.reduce((sum, log, shard) => sum + log.countSince(shards[shard] ?? STREAM_START), 0)
  }
}
