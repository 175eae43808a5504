import type { Tuple } from './entry.ts'

/**
 * Points in a few bytes each, as text (base64 behind a `1`): a walk's JSON has some 50 characters a point, this 13. A point is
 * its layout, then its numbers as differences from the point before, each in as few bytes as it needs (zigzag, LEB128). A number
 * that is not exactly so many decimals is a double, so that all come back as they were.
 */
export const PACKED_MARK = '1'
export const POINTS_MAX = 1_000

/** Of degrees, and of other measures. */
const PLACE_SCALE = 10_000_000
const MEASURE_SCALE = 100
/** A layout of two bytes, a time of eight, seven doubles. */
const POINT_BYTES_MAX = 66

/** Bits of a layout. Each measure has two: absent, scaled or a double. */
const DOUBLE_PLACE = 1
const SCALED = 1
const DOUBLE = 2
const FIRST_MEASURE_BIT = 1
const MEASURES = 5
const INT_MAX = 0x7fff_ffff
const LAYOUTS = 1 << (FIRST_MEASURE_BIT + 2 * MEASURES)

const bytes = Buffer.alloc(POINT_BYTES_MAX * POINTS_MAX)
const doubles = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
const lastMeasures = new Float64Array(MEASURES)

/** One at a time, and written without a wait: all use the same bytes. NaN is a measure that is absent. */
export class PointPacker {
  #at = 0
  #layout = 0
  #recordedAt = 0
  #lat = 0
  #lng = 0

  constructor() {
    lastMeasures.fill(0)
  }

  add(point: {
    recordedAt: number
    lat: number
    lng: number
    accuracy: number
    speed: number
    altitude: number
    heading: number
    battery: number
  }): void {
    const { recordedAt, lat, lng, accuracy, speed, altitude, heading, battery } = point
    const layout =
      (isScaled(lat, PLACE_SCALE) && isScaled(lng, PLACE_SCALE) ? 0 : DOUBLE_PLACE) |
      (formOf(accuracy) << 1) |
      (formOf(speed) << 3) |
      (formOf(altitude) << 5) |
      (formOf(heading) << 7) |
      (formOf(battery) << 9)
    this.#whole(layout ^ this.#layout)
    this.#layout = layout
    this.#difference(recordedAt - this.#recordedAt)
    this.#recordedAt = recordedAt
    if (layout & DOUBLE_PLACE) {
      this.#double(lat)
      this.#double(lng)
    } else {
      const latScaled = Math.round(lat * PLACE_SCALE)
      this.#difference(latScaled - this.#lat)
      this.#lat = latScaled
      const lngScaled = Math.round(lng * PLACE_SCALE)
      this.#difference(lngScaled - this.#lng)
      this.#lng = lngScaled
    }
    if (layout >> 1 === 0) return
    this.#measure(0, accuracy, layout >> 1)
    this.#measure(1, speed, layout >> 3)
    this.#measure(2, altitude, layout >> 5)
    this.#measure(3, heading, layout >> 7)
    this.#measure(4, battery, layout >> 9)
  }

  text(): string {
    return PACKED_MARK + bytes.toString('base64', 0, this.#at)
  }

  #measure(index: number, value: number, forms: number): void {
    const form = forms & 3
    if (form === DOUBLE) this.#double(value)
    if (form !== SCALED) return
    const scaled = Math.round(value * MEASURE_SCALE)
    this.#difference(scaled - (lastMeasures[index] ?? 0))
    lastMeasures[index] = scaled
  }

  #difference(value: number): void {
    this.#whole(value < 0 ? -2 * value - 1 : 2 * value)
  }

  #whole(value: number): void {
    let at = this.#at
    let large = value
    // Times do not fit 32 bits, in which the rest is three times as fast.
    for (; large > INT_MAX; large = Math.floor(large / 0x80)) bytes[at++] = (large % 0x80) + 0x80
    let left = large | 0
    for (; left >= 0x80; left >>= 7) bytes[at++] = (left & 0x7f) | 0x80
    bytes[at++] = left
    this.#at = at
  }

  #double(value: number): void {
    doubles.setFloat64(this.#at, value)
    this.#at += 8
  }
}

/** A measure that is NaN where it is absent, as one that is null there. */
export const knownOf = (measure: number): number | null => (Number.isNaN(measure) ? null : measure)

/** Whether a number is exactly so many decimals; nearly all that phones measure are. */
function isScaled(value: number, scale: number): boolean {
  return Math.round(value * scale) / scale === value
}

const formOf = (value: number): number =>
  Number.isNaN(value) ? 0 : isScaled(value, MEASURE_SCALE) ? SCALED : DOUBLE

/** The points of a packed text, unjudged; or why it holds none. */
export function unpackPoints(text: string): Tuple[] | string {
  const reader = new Reader(Buffer.from(text.slice(PACKED_MARK.length), 'base64'))
  const points: Tuple[] = []
  while (reader.isGoing) {
    if (points.length === POINTS_MAX) return `p has more than ${POINTS_MAX} points`
    points.push(reader.point())
  }
  return reader.isTorn || points.length === 0 ? 'p is no list of points' : points
}

/** Reads what `PointPacker` wrote; past the end it gives zeros and is torn. */
class Reader {
  readonly #bytes: Buffer
  readonly #measures: number[] = Array.from({ length: MEASURES }, () => 0)
  #at = 0
  #layout = 0
  #recordedAt = 0
  #lat = 0
  #lng = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isGoing(): boolean {
    return this.#at < this.#bytes.length
  }

  get isTorn(): boolean {
    return this.#at > this.#bytes.length
  }

  point(): Tuple {
    this.#layout = (this.#layout ^ this.#whole()) % LAYOUTS
    const layout = this.#layout
    this.#recordedAt += this.#difference()
    let lat: number
    let lng: number
    if (layout & DOUBLE_PLACE) {
      lat = this.#double()
      lng = this.#double()
    } else {
      this.#lat += this.#difference()
      this.#lng += this.#difference()
      lat = this.#lat / PLACE_SCALE
      lng = this.#lng / PLACE_SCALE
    }
    const accuracy = this.#measure(0, layout >> 1)
    const speed = this.#measure(1, layout >> 3)
    const altitude = this.#measure(2, layout >> 5)
    const heading = this.#measure(3, layout >> 7)
    const battery = this.#measure(4, layout >> 9)
    return battery === null
      ? [this.#recordedAt, lat, lng, accuracy, speed, altitude, heading]
      : [this.#recordedAt, lat, lng, accuracy, speed, altitude, heading, null, null, battery]
  }

  #measure(index: number, forms: number): number | null {
    const form = forms & 3
    if (form === DOUBLE) return this.#double()
    if (form !== SCALED) return null
    const scaled = (this.#measures[index] ?? 0) + this.#difference()
    this.#measures[index] = scaled
    return scaled / MEASURE_SCALE
  }

  #difference(): number {
    const whole = this.#whole()
    return whole % 2 === 1 ? -(whole + 1) / 2 : whole / 2
  }

  #whole(): number {
    let value = 0
    let unit = 1
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
