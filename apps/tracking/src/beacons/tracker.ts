import {
  CARRYING_ACCURACY_M_MAX,
  carryingFix,
  type DeviceFix,
  type Motion,
  motionAfter,
  stateOf,
} from '@palanquin/domain/beacon'
import { greatCircleKm } from '@palanquin/domain/geo'

/** Speed is taken over at least this long: two fixes of one second say nothing. */
const SPEED_SPAN_MS_MIN = 8_000
/** A fix before that is too old to compute a speed from. */
const SPEED_SPAN_MS_MAX = 120_000
/** A faster beacon has jumped: another phone took over, or time is compressed as in a rehearsal. */
const SPEED_KMH_MAX = 150
const HOUR_MS = 3_600_000
const DEGREES = 180 / Math.PI

/** Where a beacon is and what it does, from the fixes of its devices. */
export class BeaconTracker {
  readonly #latest = new Map<string, DeviceFix>()
  #shown: DeviceFix | null = null
  #before: DeviceFix | null = null
  #motion: Motion | null = null

  /** Takes a fix in; one that is older than what its device sent before, or inaccurate, changes nothing. */
  add(fix: DeviceFix, nowMs: number): void {
    if (fix.accuracyM !== null && fix.accuracyM > CARRYING_ACCURACY_M_MAX) return
    const known = this.#latest.get(fix.deviceId)
    if (known && known.recordedAtMs >= fix.recordedAtMs) return
    this.#latest.set(fix.deviceId, fix)
    this.#show(nowMs)
  }

  /** The latest accurate fix of a device. */
  latestOf(deviceId: string): DeviceFix | undefined {
    return this.#latest.get(deviceId)
  }

  /** Forgets the fixes of devices that no longer carry it. */
  keepDevices(devices: ReadonlySet<string>): void {
    for (const deviceId of this.#latest.keys()) if (!devices.has(deviceId)) this.#latest.delete(deviceId)
  }

  /** Chooses the carrying device anew, and moves on to its fix. */
  #show(nowMs: number): void {
    const fix = carryingFix([...this.#latest.values()], { carrier: this.#shown?.deviceId ?? null, nowMs })
    if (fix === null || (this.#shown && fix.recordedAtMs <= this.#shown.recordedAtMs)) return
    this.#before = this.#shown
    this.#shown = fix
    this.#motion = motionAfter(this.#motion, fix)
  }

  /** Null before there was an accurate fix. */
  view(nowMs: number) {
    this.#show(nowMs)
    if (this.#shown === null || this.#motion === null) return null
    const { state, restingSinceMs } = stateOf(this.#motion, nowMs)
    return { fix: this.#shown, state, restingSinceMs, ...(state === 'moving' ? this.#course() : AT_REST) }
  }

  #course(): { speedKmh: number | null; heading: number | null } {
    const [from, to] = [this.#before, this.#shown]
    if (from === null || to === null) return AT_REST
    const spanMs = to.recordedAtMs - from.recordedAtMs
    if (spanMs < SPEED_SPAN_MS_MIN || spanMs > SPEED_SPAN_MS_MAX) return AT_REST
    const speedKmh = (greatCircleKm({ from, to }) * HOUR_MS) / spanMs
    if (speedKmh > SPEED_KMH_MAX) return AT_REST
    return { speedKmh: Math.round(speedKmh * 10) / 10, heading: headingOf(from, to) }
  }
}

const AT_REST = { speedKmh: null, heading: null }

/** Degrees from north, clockwise. */
function headingOf(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const east = (to.lng - from.lng) * Math.cos(from.lat / DEGREES)
  const degrees = Math.atan2(east, to.lat - from.lat) * DEGREES
  return Math.round((degrees + 360) % 360)
}
