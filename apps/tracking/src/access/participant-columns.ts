import type { ParticipantStatus, Visibility } from '@palanquin/domain/participant'
import { PARTICIPANT_STATUSES, VISIBILITIES } from '@palanquin/domain/participant'
import { CellStore } from '../people/cell-store.ts'
import { lengthFor, longerBytes, longerFloats, longerWords } from '../people/columns.ts'
import { HOLDER, NO_SLOT, People } from '../people/people.ts'

export type Participant = {
  /** Null where none was given, and where names are not kept. */
  displayName: string | null
  consent: boolean
  visibility: Visibility
  status: ParticipantStatus
  /** Of which their public id is made. */
  publicVersion: number
  /** When anything about them changed last, in epoch ms of PostgreSQL's clock. */
  changedAt: number
}

/** Of the flags: consent, then two bits each for the visibility and the status. */
const CONSENT = 1
const VISIBILITY_SHIFT = 1
const STATUS_SHIFT = 3
const TWO_BITS = 3

/**
 * Participants in columns by slot: 13 bytes each, and their names as JSON where they are kept. As objects in a `Map` they
 * took ten times that, and the garbage collector walked over all of them.
 */
export class ParticipantColumns {
  readonly people = new People()
  readonly #withNames: boolean
  readonly #names = new CellStore()
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()
  #flags = new Uint8Array(0)
  #changedAt = new Float64Array(0)
  #publicVersion = new Uint32Array(0)
  #nameReferences = new Uint32Array(0)

  /** `names`: whether display names are kept. */
  constructor({ names }: { names: boolean }) {
    this.#withNames = names
  }

  has(userId: string): boolean {
    return this.hasSlot(this.people.slotOf(userId))
  }

  hasSlot(slot: number): boolean {
    return slot !== NO_SLOT && this.people.isHeld(slot, HOLDER.participants)
  }

  get(userId: string): Participant | undefined {
    const slot = this.people.slotOf(userId)
    if (!this.hasSlot(slot)) return undefined
    const flags = this.#flags[slot] ?? 0
    return {
      displayName: this.#nameOf(slot),
      consent: (flags & CONSENT) !== 0,
      visibility: VISIBILITIES[(flags >> VISIBILITY_SHIFT) & TWO_BITS] ?? 'hidden',
      status: PARTICIPANT_STATUSES[(flags >> STATUS_SHIFT) & TWO_BITS] ?? 'withdrawn',
      publicVersion: this.publicVersion(slot),
      changedAt: this.changedAt(slot),
    }
  }

  /** Of a participant's slot. */
  changedAt(slot: number): number {
    return this.#changedAt[slot] ?? 0
  }

  /** Of a participant's slot. */
  publicVersion(slot: number): number {
    return this.#publicVersion[slot] ?? 0
  }

  /** How many bytes the name of a slot has as JSON text in UTF-8, quotes included; 0 where there is none. */
  nameJsonBytes(slot: number): number {
    const reference = this.#nameReferences[slot] ?? 0
    return reference === 0 ? 0 : this.#names.lengthOf(reference)
  }

  /** Copies the name of a slot, as JSON, to an offset of another array. */
  copyNameJson(slot: number, target: Uint8Array, offset: number): void {
    const reference = this.#nameReferences[slot] ?? 0
    if (reference !== 0) this.#names.copyTo(reference, target, offset)
  }

  /** Adds or replaces a participant. */
  put(
    userId: string,
    { displayName, consent, visibility, status, publicVersion, changedAt }: Participant,
  ): void {
    const slot = this.people.hold(userId, HOLDER.participants)
    this.#ensure(slot)
    this.#flags[slot] =
      (consent ? CONSENT : 0) |
      (VISIBILITIES.indexOf(visibility) << VISIBILITY_SHIFT) |
      (PARTICIPANT_STATUSES.indexOf(status) << STATUS_SHIFT)
    this.#publicVersion[slot] = publicVersion
    this.#changedAt[slot] = changedAt
    this.#setName(slot, displayName)
  }

  /** Notes that a participant was found unchanged, by a later change of what is not kept here. */
  setChangedAt(userId: string, changedAt: number): void {
    const slot = this.people.slotOf(userId)
    if (this.hasSlot(slot)) this.#changedAt[slot] = changedAt
  }

  /** Leaves nothing of a participant. */
  delete(userId: string): void {
    const slot = this.people.slotOf(userId)
    if (!this.hasSlot(slot)) return
    this.#setName(slot, null)
    this.#flags[slot] = 0
    this.#publicVersion[slot] = 0
    this.#changedAt[slot] = 0
    this.people.letGo(slot, HOLDER.participants)
  }

  /** The slots of all participants. */
  *slots(): Generator<number> {
    for (let slot = 0; slot < this.people.slots(); slot++) if (this.hasSlot(slot)) yield slot
  }

  #setName(slot: number, name: string | null): void {
    const before = this.#nameReferences[slot] ?? 0
    const bytes = name !== null && this.#withNames ? this.#encoder.encode(JSON.stringify(name)) : null
    if (before !== 0 && bytes && this.#names.holds(before, bytes)) return
    if (before !== 0) this.#names.free(before)
    this.#nameReferences[slot] = bytes ? this.#names.put(bytes) : 0
  }

  #nameOf(slot: number): string | null {
    const reference = this.#nameReferences[slot] ?? 0
    return reference === 0 ? null : JSON.parse(this.#decoder.decode(this.#names.read(reference)))
  }

  #ensure(slot: number): void {
    if (slot < this.#flags.length) return
    const length = lengthFor(slot)
    this.#flags = longerBytes(this.#flags, length)
    this.#changedAt = longerFloats(this.#changedAt, length)
    this.#publicVersion = longerWords(this.#publicVersion, length)
    this.#nameReferences = longerWords(this.#nameReferences, length)
  }

  /** All bytes of ids and names, for tests. */
  reserved(): Uint8Array[] {
    return [...this.people.reserved(), ...this.#names.reserved()]
  }
}
