import { lengthFor, longerBytes, longerFloats, longerWords } from '../../people/columns.ts'

export const PSEUDONYM_BYTES = 12

/** What the public may see of a position (`PublicState`); `named`: the participant's name stands beside the dot. */
export const SHOWN = { counted: 1, public: 2, anonymous: 4, named: 8 } as const

/** Where the phone did not say. */
export const NO_BATTERY = 255

/**
 * The positions of all participants in columns by slot, 92 bytes each: as objects they took a kilobyte, and the garbage
 * collector walked over all of them. A slot without a position has zeros in every column.
 */
export class PositionColumns {
  lat = new Float64Array(0)
  lng = new Float64Array(0)
  /** Epoch ms. */
  recordedAt = new Float64Array(0)
  /** Metres; NaN where the phone did not say. */
  accuracyM = new Float64Array(0)
  /** Percent, as the phone last said in the buffer; `NO_BATTERY` where it has not. */
  battery = new Uint8Array(0)
  /** The stream entry that brought the position. */
  movedMs = new Float64Array(0)
  movedSequence = new Uint32Array(0)
  /** Totals of the last flush. */
  km = new Float64Array(0)
  checkins = new Uint32Array(0)
  /** Of `PendingCheckins`: check-ins in the stream that are not flushed yet. */
  pending = new Uint32Array(0)
  /** When their first point arrived, in epoch seconds. */
  firstS = new Uint32Array(0)
  /** Bits of `SHOWN`. */
  shown = new Uint8Array(0)
  /** Of `PositionGrid`: its cell, and the two beside it there; each plus 1, and 0 for none. */
  cell = new Uint32Array(0)
  nextInCell = new Uint32Array(0)
  previousInCell = new Uint32Array(0)
  /** Of the participant, when the pseudonym was made. */
  publicVersion = new Uint32Array(0)
  pseudonym = new Uint8Array(0)

  /** Makes space for a slot. */
  ensure(slot: number): void {
    if (slot < this.lat.length) return
    const length = lengthFor(slot)
    this.lat = longerFloats(this.lat, length)
    this.lng = longerFloats(this.lng, length)
    this.recordedAt = longerFloats(this.recordedAt, length)
    this.accuracyM = longerFloats(this.accuracyM, length)
    this.battery = longerBytes(this.battery, length)
    this.movedMs = longerFloats(this.movedMs, length)
    this.movedSequence = longerWords(this.movedSequence, length)
    this.km = longerFloats(this.km, length)
    this.checkins = longerWords(this.checkins, length)
    this.pending = longerWords(this.pending, length)
    this.firstS = longerWords(this.firstS, length)
    this.shown = longerBytes(this.shown, length)
    this.cell = longerWords(this.cell, length)
    this.nextInCell = longerWords(this.nextInCell, length)
    this.previousInCell = longerWords(this.previousInCell, length)
    this.publicVersion = longerWords(this.publicVersion, length)
    this.pseudonym = longerBytes(this.pseudonym, length * PSEUDONYM_BYTES)
  }

  /** Leaves nothing of a position. */
  clear(slot: number): void {
    for (const column of this.all()) column[slot] = 0
    this.pseudonym.fill(0, slot * PSEUDONYM_BYTES, (slot + 1) * PSEUDONYM_BYTES)
  }

  /** Whether the public sees all of `bits` of `SHOWN`. */
  shows(slot: number, bits: number): boolean {
    return ((this.shown[slot] ?? 0) & bits) === bits
  }

  /** The pseudonym on the public map: 16 characters of base64url. */
  pseudonymOf(slot: number): string {
    return this.pseudonym
      .subarray(slot * PSEUDONYM_BYTES, (slot + 1) * PSEUDONYM_BYTES)
      .toBase64({ alphabet: 'base64url' })
  }

  /** Every column with one value a slot. */
  all(): (Float64Array | Uint32Array | Uint8Array)[] {
    const { lat, lng, recordedAt, accuracyM, battery, movedMs, movedSequence, km, checkins } = this
    const { pending, firstS, shown, cell, nextInCell, previousInCell, publicVersion } = this
    return [
      ...[lat, lng, recordedAt, accuracyM, battery, movedMs, movedSequence, km, checkins],
      ...[pending, firstS, shown, cell, nextInCell, previousInCell, publicVersion],
    ]
  }
}
