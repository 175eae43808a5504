import { shardOf } from '@palanquin/domain/ids'
import { CellStore } from './cell-store.ts'
import { lengthFor, longerBytes, longerWords } from './columns.ts'
import { readId, writeId } from './id-bytes.ts'
import { SlotIndex } from './slot-index.ts'

/** Who keeps something about a person by their slot; the slot is free when none of them does. */
export const HOLDER = { participants: 1, positions: 2 } as const
type Holder = (typeof HOLDER)[keyof typeof HOLDER]

/** No such person. */
export const NO_SLOT = -1

const ID_BYTES_MAX = 64

/**
 * People as small whole numbers, their slots: what is kept about a person is kept in columns by slot. Some 25
 * bytes each, and nothing of a person whom no holder knows any more. A slot is used again, so a holder clears its columns
 * before it lets go.
 */
export class People {
  readonly #ids = new CellStore()
  readonly #index = new SlotIndex((slot, bytes, length) =>
    this.#ids.holds(this.#references[slot] ?? 0, bytes, length),
  )
  readonly #free: number[] = []
  readonly #scratch = new Uint8Array(ID_BYTES_MAX)
  #references = new Uint32Array(0)
  #holders = new Uint8Array(0)
  #shards = new Uint8Array(0)
  #slots = 0

  /** The slot of a person; `NO_SLOT` of somebody unknown. */
  slotOf(userId: string): number {
    // A longer text is no id, and is not kept.
    return userId.length > ID_BYTES_MAX
      ? NO_SLOT
      : this.#index.find(this.#scratch, writeId(userId, this.#scratch))
  }

  /** The slot of a person, who has one from now on, until this holder and all others let go. */
  hold(userId: string, holder: Holder): number {
    if (userId.length > ID_BYTES_MAX) throw new RangeError('this is no userId')
    const length = writeId(userId, this.#scratch)
    const known = this.#index.find(this.#scratch, length)
    const slot = known === NO_SLOT ? (this.#free.pop() ?? this.#slots++) : known
    this.#ensure(slot)
    this.#holders[slot] = (this.#holders[slot] ?? 0) | holder
    if (known !== NO_SLOT) return slot
    this.#references[slot] = this.#ids.put(this.#scratch, length)
    this.#shards[slot] = shardOf(userId)
    this.#index.add(slot, this.#scratch, length)
    return slot
  }

  /** The holder has cleared what it kept about a person. */
  letGo(slot: number, holder: Holder): void {
    const holders = (this.#holders[slot] ?? 0) & ~holder
    if (this.#holders[slot] === 0) return
    this.#holders[slot] = holders
    if (holders !== 0) return
    const reference = this.#references[slot] ?? 0
    this.#index.remove(slot, this.#ids.read(reference))
    this.#ids.free(reference)
    this.#references[slot] = 0
    this.#shards[slot] = 0
    this.#free.push(slot)
  }

  isHeld(slot: number, holder: Holder): boolean {
    return ((this.#holders[slot] ?? 0) & holder) !== 0
  }

  idOf(slot: number): string {
    return readId(this.#ids.read(this.#references[slot] ?? 0))
  }

  shardOf(slot: number): number {
    return this.#shards[slot] ?? 0
  }

  /** Every slot is below this. */
  slots(): number {
    return this.#slots
  }

  /** All bytes that ids are kept in, for tests. */
  reserved(): Uint8Array[] {
    return this.#ids.reserved()
  }

  #ensure(slot: number): void {
    if (slot < this.#holders.length) return
    const length = lengthFor(slot)
    this.#references = longerWords(this.#references, length)
    this.#holders = longerBytes(this.#holders, length)
    this.#shards = longerBytes(this.#shards, length)
  }
}
