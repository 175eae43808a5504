import { countsForDistance } from '@palanquin/domain/distance/filter'
import type { PlainJson } from '@palanquin/domain/payload/plain-json'
import {
  ACCURACY_M_BOUND,
  ALTITUDE_M_MAX,
  ALTITUDE_M_MIN,
  BATTERY_MAX,
  HEADING_MAX,
  SPEED_KMH_BOUND,
} from '@palanquin/domain/point/input'
import { instantProblem, SMALLEST_MEASURE } from '@palanquin/domain/point/judge'
import { knownOf } from '../../buffer/packed-points.ts'
import type { Rejection } from './judge.ts'
import { ABSENT, FIELD, PointReader } from './read-point.ts'

/** `now` in epoch ms, which may be off by `unsureMs`. */
export type Scanning = { sources: readonly string[]; now: number; unsureMs: number }

/** In place of a measure that is out of bounds. */
const WRONG = Number.POSITIVE_INFINITY

/** One point of a sync after the other, read and judged as `judgePoint` does; absent measures are NaN. */
export class PointScan {
  readonly #reader: PointReader
  readonly #scanning: Scanning
  recordedAt = ABSENT
  lat = ABSENT
  lng = ABSENT
  accuracy = ABSENT
  speed = ABSENT
  altitude = ABSENT
  heading = ABSENT
  battery = ABSENT

  constructor(json: PlainJson, scanning: Scanning) {
    this.#reader = new PointReader(json)
    this.#scanning = scanning
  }

  /** The one source that points name themselves. */
  get source(): string | undefined {
    return this.#reader.source
  }

  /** Whether the next point could be read. */
  read(): boolean {
    if (!this.#reader.read()) return false
    const { values } = this.#reader
    this.recordedAt = values[FIELD.recordedAt] ?? ABSENT
    this.lat = measure(values[FIELD.lat] ?? ABSENT, -90, 90)
    this.lng = measure(values[FIELD.lng] ?? ABSENT, -180, 180)
    this.accuracy = amount(values[FIELD.accuracy] ?? ABSENT, ACCURACY_M_BOUND)
    this.speed = amount(values[FIELD.speed] ?? ABSENT, SPEED_KMH_BOUND)
    this.altitude = measure(values[FIELD.altitude] ?? ABSENT, ALTITUDE_M_MIN, ALTITUDE_M_MAX)
    this.heading = amount(values[FIELD.heading] ?? ABSENT, HEADING_MAX)
    this.battery = Math.round(amount(values[FIELD.battery] ?? ABSENT, BATTERY_MAX))
    return true
  }

  /** Why the point is rejected; null where it is not. */
  verdict(): Rejection['reason'] | null {
    const { recordedAt, lat, lng, accuracy, speed, altitude, heading, battery } = this
    if (!Number.isFinite(recordedAt) || !Number.isFinite(lat) || !Number.isFinite(lng)) return 'invalid'
    if (accuracy === WRONG || speed === WRONG || altitude === WRONG || heading === WRONG) return 'invalid'
    const problem = instantProblem(recordedAt, this.#scanning.now, this.#scanning.unsureMs)
    return problem ?? (battery === WRONG ? 'invalid' : null)
  }

  /** Whether it never counts for the distance. */
  isFiltered(): boolean {
    return !countsForDistance({ speed: knownOf(this.speed), accuracy: knownOf(this.accuracy) })
  }
}

/** The measures of `judgePoint`: NaN where there is none, WRONG out of bounds. */
function measure(value: number, min: number, max: number): number {
  if (value >= min && value <= max) return Math.abs(value) < SMALLEST_MEASURE ? 0 : value
  return Number.isNaN(value) ? ABSENT : WRONG
}

/** A negative amount is unknown. */
const amount = (value: number, max: number): number => (value < 0 ? ABSENT : measure(value, 0, max))
