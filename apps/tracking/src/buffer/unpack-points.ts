import type { Tuple } from './entry.ts'
import {
  DOUBLE,
  DOUBLE_PLACE,
  LAYOUT_BITS,
  MEASURE_SCALE,
  MEASURES,
  PACKED_MARK,
  PLACE_SCALE,
  POINT_BYTES_MAX,
  POINTS_MAX,
  SCALED,
} from './packed-layout.ts'

const INT_MAX = 0x7fff_ffff
const NO_LIST = 'p is no list of points'
const TOO_MANY = `p has more than ${POINTS_MAX} points`

/** The points of a packed text, unjudged; or why it holds none. */
export function unpackPoints(text: string): Tuple[] | string {
  if (isTooLong(text)) return TOO_MANY
  const reader = new Reader(text)
  const points: Tuple[] = []
  while (reader.next()) {
    if (points.length === POINTS_MAX) return TOO_MANY
    points.push(reader.tuple())
  }
  return reader.isTorn || points.length === 0 ? NO_LIST : points
}

/** The point with the latest time, the first of several; or why there is none. */
export function unpackLatest(text: string): Tuple | string {
  if (isTooLong(text)) return TOO_MANY
  const reader = new Reader(text)
  let latest = -1
  let latestAt = Number.NEGATIVE_INFINITY
  let points = 0
  for (; reader.next(); points++) {
    if (points === POINTS_MAX) return TOO_MANY
    if (reader.recordedAt <= latestAt) continue
    latestAt = reader.recordedAt
    latest = points
  }
  if (reader.isTorn || latest < 0) return NO_LIST
  // Nearly always the last one.
  return latest === points - 1 ? reader.tuple() : pointAt(text, latest)
}

/** Base64 has four characters for three bytes. */
const isTooLong = (text: string): boolean => (text.length - PACKED_MARK.length) * 3 > bytes.length * 4

function pointAt(text: string, place: number): Tuple {
  const reader = new Reader(text)
  for (let points = 0; points <= place; points++) reader.next()
  return reader.tuple()
}

/** What a text holds at most. */
const bytes = Buffer.alloc(POINT_BYTES_MAX * POINTS_MAX)
/** Each measure as it was scaled last, and those of a point that are not scaled. */
const lastScaled = new Float64Array(MEASURES)
const doubles = new Float64Array(MEASURES)

/**
 * Reads what `PointPacker` wrote; past the end it gives zeros and is torn. One at a time, and without a wait: all use the
 * same memory.
 */
class Reader {
  readonly #length: number
  #at = 0
  #layout = 0
  #latScaled = 0
  #lngScaled = 0
  #lat = 0
  #lng = 0
  recordedAt = 0

  constructor(text: string) {
    this.#length = bytes.write(text.slice(PACKED_MARK.length), 'base64')
    lastScaled.fill(0)
  }

  get isTorn(): boolean {
    return this.#at > this.#length
  }

  /** Goes to the next point; false at the end. */
  next(): boolean {
    if (this.#at >= this.#length) return false
    this.#layout = (this.#layout ^ this.#whole()) & LAYOUT_BITS
    this.recordedAt += this.#difference()
    if (this.#layout & DOUBLE_PLACE) {
      this.#lat = this.#double()
      this.#lng = this.#double()
    } else {
      this.#latScaled += this.#difference()
      this.#lngScaled += this.#difference()
    }
    let forms = this.#layout >> 1
    for (let index = 0; forms !== 0; index++, forms >>= 2) this.#measure(index, forms & 3)
    return true
  }

  tuple(): Tuple {
    const isDouble = (this.#layout & DOUBLE_PLACE) !== 0
    const lat = isDouble ? this.#lat : this.#latScaled / PLACE_SCALE
    const lng = isDouble ? this.#lng : this.#lngScaled / PLACE_SCALE
    const at = this.recordedAt
    const [accuracy, speed, altitude] = [this.#known(0), this.#known(1), this.#known(2)]
    const [heading, battery] = [this.#known(3), this.#known(4)]
    if (battery === null) return [at, lat, lng, accuracy, speed, altitude, heading]
    return [at, lat, lng, accuracy, speed, altitude, heading, null, null, battery]
  }

  #known(index: number): number | null {
    const form = (this.#layout >> (1 + 2 * index)) & 3
    if (form === SCALED) return (lastScaled[index] ?? 0) / MEASURE_SCALE
    return form === DOUBLE ? (doubles[index] ?? 0) : null
  }

  #measure(index: number, form: number): void {
    if (form === DOUBLE) doubles[index] = this.#double()
    if (form === SCALED) lastScaled[index] = (lastScaled[index] ?? 0) + this.#difference()
  }

  #difference(): number {
    const whole = this.#whole()
    if (whole <= INT_MAX) return (whole >>> 1) ^ -(whole & 1)
    return whole % 2 === 1 ? -(whole + 1) / 2 : whole / 2
  }

  #whole(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    let value = first % 0x80
    let unit = 0x80
    for (;;) {
      const byte = this.#byte()
      value += (byte % 0x80) * unit
      if (byte < 0x80) return value
      unit *= 0x80
    }
  }

  #byte(): number {
    const at = this.#at++
    return at < this.#length ? (bytes[at] ?? 0) : 0
  }

  #double(): number {
    const at = this.#at
    this.#at += 8
    return this.#at <= this.#length ? bytes.readDoubleBE(at) : 0
  }
}
