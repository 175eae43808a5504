import type { Tuple } from './entry.ts'
import {
  DOUBLE,
  DOUBLE_PLACE,
  LAYOUT_BITS,
  MEASURE_SCALE,
  MEASURES,
  PACKED_MARK,
  PLACE_SCALE,
  POINTS_MAX,
  SCALED,
} from './packed-layout.ts'

const INT_MAX = 0x7fff_ffff
const NO_LIST = 'p is no list of points'
const TOO_MANY = `p has more than ${POINTS_MAX} points`

/** The points of a packed text, unjudged; or why it holds none. */
export function unpackPoints(text: string): Tuple[] | string {
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

function pointAt(text: string, place: number): Tuple {
  const reader = new Reader(text)
  for (let points = 0; points <= place; points++) reader.next()
  return reader.tuple()
}

/** Reads what `PointPacker` wrote; past the end it gives zeros and is torn. */
class Reader {
  readonly #bytes: Buffer
  /** Each as it was scaled last, and those of this point that are not scaled. */
  readonly #scaled = new Float64Array(MEASURES)
  readonly #doubles = new Float64Array(MEASURES)
  #at = 0
  #layout = 0
  #latScaled = 0
  #lngScaled = 0
  #lat = 0
  #lng = 0
  recordedAt = 0

  constructor(text: string) {
    this.#bytes = Buffer.from(text.slice(PACKED_MARK.length), 'base64')
  }

  get isTorn(): boolean {
    return this.#at > this.#bytes.length
  }

  /** Goes to the next point; false at the end. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false
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
    const place = [this.recordedAt, lat, lng] as const
    const measures = [this.#known(0), this.#known(1), this.#known(2), this.#known(3)] as const
    const battery = this.#known(4)
    return battery === null ? [...place, ...measures] : [...place, ...measures, null, null, battery]
  }

  #known(index: number): number | null {
    const form = (this.#layout >> (1 + 2 * index)) & 3
    if (form === SCALED) return (this.#scaled[index] ?? 0) / MEASURE_SCALE
    return form === DOUBLE ? (this.#doubles[index] ?? 0) : null
  }

  #measure(index: number, form: number): void {
    if (form === DOUBLE) this.#doubles[index] = this.#double()
    if (form === SCALED) this.#scaled[index] = (this.#scaled[index] ?? 0) + this.#difference()
  }

  #difference(): number {
    const whole = this.#whole()
    if (whole <= INT_MAX) return (whole >>> 1) ^ -(whole & 1)
    return whole % 2 === 1 ? -(whole + 1) / 2 : whole / 2
  }

  #whole(): number {
    const first = this.#bytes[this.#at++] ?? 0
    if (first < 0x80) return first
    let value = first % 0x80
    let unit = 0x80
    for (;;) {
      const byte = this.#bytes[this.#at++] ?? 0
      value += (byte % 0x80) * unit
      if (byte < 0x80) return value
      unit *= 0x80
    }
  }

  #double(): number {
    const at = this.#at
    this.#at += 8
    return this.#at <= this.#bytes.length ? this.#bytes.readDoubleBE(at) : 0
  }
}
