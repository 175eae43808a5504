import { HOLDER, NO_SLOT, type People } from '../../people/people.ts'
import type { PublicState } from '../public-state.ts'
import { NO_BATTERY, type PositionColumns, PSEUDONYM_BYTES, SHOWN } from './position-columns.ts'
import { PositionGrid } from './position-grid.ts'

/** A participant's row begins with a version that is a multiple of this (migration 0035). */
const VERSIONS_OF_ROW = 1_024
/** Earlier pseudonyms that are taken off the maps of readers who were away for longer than the change log goes back. */
const EARLIER_MAX = 8

/** Which slots of `People` have a position, whom they show, and where they are in the grid; their columns are `columns`. */
export class PositionSlots {
  readonly grid: PositionGrid
  readonly #people: People
  readonly #columns: PositionColumns
  readonly #pseudonymSecret: string
  #count = 0
  #publicCount = 0

  constructor(people: People, columns: PositionColumns, pseudonymSecret: string) {
    this.#people = people
    this.#columns = columns
    this.#pseudonymSecret = pseudonymSecret
    this.grid = new PositionGrid(columns)
  }

  /** `NO_SLOT` for a participant without a position. */
  slotOf(userId: string): number {
    const slot = this.#people.slotOf(userId)
    return this.#isPlaced(slot) ? slot : NO_SLOT
  }

  /** A slot for the first position of a participant; its columns are zero but for the pseudonym and the battery. */
  place(userId: string, publicVersion: number): number {
    const slot = this.#people.hold(userId, HOLDER.positions)
    this.#columns.ensure(slot)
    this.#columns.battery[slot] = NO_BATTERY
    this.setPseudonym(slot, publicVersion)
    this.#count++
    return slot
  }

  /** Clears all columns of the slot, which is free from now on. */
  release(slot: number): void {
    this.show(slot, 0)
    this.grid.remove(slot)
    this.#columns.clear(slot)
    this.#people.letGo(slot, HOLDER.positions)
    this.#count--
  }

  setPseudonym(slot: number, publicVersion: number): void {
    this.#columns.publicVersion[slot] = publicVersion
    this.#columns.pseudonym.set(this.#pseudonymBytes(slot, publicVersion), slot * PSEUDONYM_BYTES)
  }

  /** The pseudonyms that were a slot's before the present one, the latest first. */
  *earlierPseudonyms(slot: number): Generator<string> {
    const version = this.#columns.publicVersion[slot] ?? 0
    const earlier = Math.min(version % VERSIONS_OF_ROW, EARLIER_MAX)
    for (let back = 1; back <= earlier; back++)
      yield this.#pseudonymBytes(slot, version - back).toBase64({ alphabet: 'base64url' })
  }

  /** Sets what the public may see of the slot: bits of `SHOWN`. */
  show(slot: number, shown: number): void {
    this.#publicCount +=
      Number((shown & SHOWN.public) !== 0) - Number(this.#columns.shows(slot, SHOWN.public))
    this.grid.setShown(slot, shown)
  }

  /** The slots of all positions. */
  *all(): Generator<number> {
    for (let slot = 0; slot < this.#people.slots(); slot++) if (this.#isPlaced(slot)) yield slot
  }

  count({ includeHidden }: { includeHidden: boolean }): number {
    return includeHidden ? this.#count : this.#publicCount
  }

  /** 96 bits of an HMAC: pseudonyms neither collide nor can be guessed. */
  #pseudonymBytes(slot: number, publicVersion: number): Uint8Array {
    return new Bun.CryptoHasher('sha256', this.#pseudonymSecret)
      .update(`${this.#people.idOf(slot)}/${publicVersion}`)
      .digest()
      .subarray(0, PSEUDONYM_BYTES)
  }

  #isPlaced(slot: number): boolean {
    return slot !== NO_SLOT && this.#people.isHeld(slot, HOLDER.positions)
  }
}

/** The bits of `SHOWN` for what the public may know of a participant. */
export const shownOf = ({ isCounted, isPublic, isAnonymous, publicName }: PublicState): number =>
  (isCounted ? SHOWN.counted : 0) |
  (isPublic ? SHOWN.public : 0) |
  (isAnonymous ? SHOWN.anonymous : 0) |
  (publicName !== null ? SHOWN.named : 0)
