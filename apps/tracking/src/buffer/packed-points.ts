import {
  DOUBLE,
  DOUBLE_PLACE,
  MEASURE_SCALE,
  MEASURES,
  PACKED_MARK,
  PLACE_SCALE,
  POINTS_MAX,
  SCALED,
} from './packed-layout.ts'

/** A layout of two bytes, a time of eight, seven doubles. */
const POINT_BYTES_MAX = 66
const INT_MAX = 0x7fff_ffff

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
