import {
  DOUBLE,
  DOUBLE_PLACE,
  MEASURE_SCALE,
  MEASURES,
  PACKED_MARK,
  PLACE_SCALE,
  POINT_BYTES_MAX,
  POINTS_MAX,
  SCALED,
} from './packed-layout.ts'

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

  add({
    recordedAt,
    lat,
    lng,
    accuracy,
    speed,
    altitude,
    heading,
    battery,
  }: {
    recordedAt: number
    lat: number
    lng: number
    accuracy: number
    speed: number
    altitude: number
    heading: number
    battery: number
  }): void {
    measures[0] = accuracy
    measures[1] = speed
    measures[2] = altitude
    measures[3] = heading
    measures[4] = battery
    const latScaled = Math.round(lat * PLACE_SCALE)
    const lngScaled = Math.round(lng * PLACE_SCALE)
    const isScaled = latScaled / PLACE_SCALE === lat && lngScaled / PLACE_SCALE === lng
    const layout = (isScaled ? 0 : DOUBLE_PLACE) | (formsOfMeasures() << 1)
    let at = writeWhole(layout ^ this.#layout, this.#at)
    this.#layout = layout
    at = writeDifference(recordedAt - this.#recordedAt, at)
    this.#recordedAt = recordedAt
    if (isScaled) {
      at = writeDifference(latScaled - this.#lat, at)
      at = writeDifference(lngScaled - this.#lng, at)
      this.#lat = latScaled
      this.#lng = lngScaled
    } else at = writeDouble(lng, writeDouble(lat, at))
    this.#at = layout >> 1 === 0 ? at : writeMeasures(layout >> 1, at)
  }

  text(): string {
    return PACKED_MARK + bytes.toString('base64', 0, this.#at)
  }
}

/** Of the point that is being packed, as they are and in hundredths. */
const measures = new Float64Array(MEASURES)
const scaledMeasures = new Float64Array(MEASURES)

/** Two bits for each measure. Nearly all that phones measure are exactly so many decimals. */
function formsOfMeasures(): number {
  let forms = 0
  for (let index = 0; index < MEASURES; index++) {
    const value = measures[index] ?? Number.NaN
    if (Number.isNaN(value)) continue
    const scaled = Math.round(value * MEASURE_SCALE)
    scaledMeasures[index] = scaled
    forms |= (scaled / MEASURE_SCALE === value ? SCALED : DOUBLE) << (2 * index)
  }
  return forms
}

/** Each function writes from a place on, and gives where it ended. */
function writeMeasures(forms: number, from: number): number {
  let at = from
  for (let index = 0, left = forms; left !== 0; index++, left >>= 2) {
    const form = left & 3
    if (form === SCALED) {
      const scaled = scaledMeasures[index] ?? 0
      at = writeDifference(scaled - (lastMeasures[index] ?? 0), at)
      lastMeasures[index] = scaled
    } else if (form === DOUBLE) at = writeDouble(measures[index] ?? 0, at)
  }
  return at
}

const writeDifference = (value: number, at: number): number =>
  writeWhole(value < 0 ? -2 * value - 1 : 2 * value, at)

function writeWhole(value: number, from: number): number {
  let at = from
  let large = value
  // Times do not fit 32 bits, in which the rest is three times as fast.
  for (; large > INT_MAX; large = Math.floor(large / 0x80)) bytes[at++] = (large % 0x80) + 0x80
  let left = large | 0
  for (; left >= 0x80; left >>= 7) bytes[at++] = (left & 0x7f) | 0x80
  bytes[at++] = left
  return at
}

function writeDouble(value: number, at: number): number {
  doubles.setFloat64(at, value)
  return at + 8
}

/** A measure that is NaN where it is absent, as one that is null there. */
export const knownOf = (measure: number): number | null => (Number.isNaN(measure) ? null : measure)
