/** The rules of distance, once: one mutable working copy of a track that a sorted batch passes through. */
import { WALKING_SPEED_KMH_MAX } from '../carbon'
import type { Fix, Track } from '../distance'
import { cosOfLatitude, haversineKm } from '../geo'
import { countsForDistance, type Point } from '../point'

/** Specification 2.6.2: exactly this fast is not noise. */
export const NOISE_SPEED_KMH = 300
/** Specification 2.6.3: exactly this far and this long counts. */
export const STATIC_KM = 0.01
export const STATIC_MS = 30_000
/** Contract 3.2: so many noise points in a row that agree with each other prove the anchor to be the outlier. */
export const OUTLIER_RUN = 4

/** Every time zone in use is a multiple of a quarter of an hour away from UTC, so hours and days are sums of these. */
export const QUARTER_MS = 900_000
const HOUR_MS = 3_600_000
const NO_NOISE: readonly Fix[] = []

/** Begins a pass from a track, which stays as it is. `onAnchor` is told of every anchor that the pass takes. */
export function startPass(
  track: Track,
  driftGuard: boolean,
  onAnchor: ((anchor: Anchor) => void) | null = null,
): Pass {
  return new Pass(track, driftGuard, onAnchor)
}

/** A fix that became the anchor: as the end of a counted segment, or (`begins`) as the first, or after an outlier. */
export type Anchor = { readonly fix: Fix; readonly begins: boolean }

/** What was counted by segments that ended in a quarter of an hour (UTC); `quarter` is its start in epoch milliseconds. */
export type CountedKm = {
  readonly quarter: number
  readonly walkedKm: number
  readonly motorizedKm: number
}

/** The working copy. Not exported: a pass begins with `startPass` and ends with `finish`. */
class Pass {
  private anchor: Fix | null
  private anchorCos: number
  private noise: readonly Fix[]
  private walkedKm: number
  private motorizedKm: number
  private points: number
  private checkins: number
  /** Quarters that are over; what was counted in the one under way is what the sums have grown by since it began. */
  private readonly quarters: CountedKm[] = []
  private quarterEndMs = Number.NEGATIVE_INFINITY
  private walkedKmBefore = 0
  private motorizedKmBefore = 0

  constructor(
    track: Track,
    private readonly driftGuard: boolean,
    private readonly onAnchor: ((anchor: Anchor) => void) | null,
  ) {
    this.anchor = track.anchor
    this.anchorCos = track.anchor === null ? 1 : cosOfLatitude(track.anchor.lat)
    this.noise = track.noise
    this.walkedKm = track.walkedKm
    this.motorizedKm = track.motorizedKm
    this.points = track.points
    this.checkins = track.checkins
  }

  /** Takes the next point of the order. Its key is new: the caller has seen to that. */
  take(point: Point): void {
    this.points++
    if (point.kind === 'checkin') this.checkins++
    if (countsForDistance(point)) this.step(point)
  }

  /** The track that the pass has come to; `newest` is the last point taken. */
  finish(newest: Point): Track {
    return {
      anchor: this.anchor === null ? null : fixOf(this.anchor),
      noise: this.noise,
      walkedKm: this.walkedKm,
      motorizedKm: this.motorizedKm,
      points: this.points,
      checkins: this.checkins,
      last: { recordedAt: newest.recordedAt, kind: newest.kind },
      lastFix: fixOf(newest),
    }
  }

  /** When the kilometres of this pass were counted, in order: a segment belongs to the moment at which it ends. */
  counted(): CountedKm[] {
    this.endQuarter()
    return this.quarters
  }

  private step(to: Fix): void {
    const from = this.anchor
    const toCos = cosOfLatitude(to.lat)
    if (from === null) {
      this.anchor = to
      this.anchorCos = toCos
      this.onAnchor?.({ fix: to, begins: true })
      return
    }
    const km = haversineKm(from.lat, from.lng, this.anchorCos, to.lat, to.lng, toCos)
    const elapsedMs = to.recordedAt - from.recordedAt
    if (isFasterThan(NOISE_SPEED_KMH, km, elapsedMs)) {
      this.takeNoise(to)
      return
    }
    if (this.noise.length > 0) this.noise = NO_NOISE
    if (km < STATIC_KM || elapsedMs < STATIC_MS || (this.driftGuard && isDrift(km, from, to))) return
    // Counted segments come in the order of their ends, so one comparison finds the first of a new quarter.
    if (to.recordedAt >= this.quarterEndMs) this.beginQuarter(to.recordedAt)
    if (isFasterThan(WALKING_SPEED_KMH_MAX, km, elapsedMs)) this.motorizedKm += km
    else this.walkedKm += km
    this.anchor = to
    this.anchorCos = toCos
    this.onAnchor?.({ fix: to, begins: false })
  }

  private beginQuarter(at: number): void {
    this.endQuarter()
    this.quarterEndMs = (Math.floor(at / QUARTER_MS) + 1) * QUARTER_MS
    this.walkedKmBefore = this.walkedKm
    this.motorizedKmBefore = this.motorizedKm
  }

  private endQuarter(): void {
    if (this.quarterEndMs === Number.NEGATIVE_INFINITY) return
    this.quarters.push({
      quarter: this.quarterEndMs - QUARTER_MS,
      walkedKm: this.walkedKm - this.walkedKmBefore,
      motorizedKm: this.motorizedKm - this.motorizedKmBefore,
    })
    this.quarterEndMs = Number.NEGATIVE_INFINITY
  }

  private takeNoise(fix: Fix): void {
    const run = [...this.noise, fixOf(fix)]
    const [first, ...rest] = run
    if (run.length < OUTLIER_RUN || first === undefined) {
      this.noise = run
    } else if (areConsistent(run)) {
      this.anchor = first
      this.anchorCos = cosOfLatitude(first.lat)
      this.noise = NO_NOISE
      this.onAnchor?.({ fix: first, begins: true })
      // Their speeds against each other are no noise, so this cannot come back here.
      for (const again of rest) this.step(again)
    } else {
      this.noise = rest
    }
  }
}

/** Whether no pair of fixes is faster than noise. */
function areConsistent(run: readonly Fix[]): boolean {
  return run.every((from, index) => run.slice(index + 1).every((to) => !isNoise(from, to)))
}

function isNoise(from: Fix, to: Fix): boolean {
  const km = haversineKm(from.lat, from.lng, cosOfLatitude(from.lat), to.lat, to.lng, cosOfLatitude(to.lat))
  return isFasterThan(NOISE_SPEED_KMH, km, to.recordedAt - from.recordedAt)
}

/** Compared without a division: some distance in no time is then faster than anything, and no distance never is. */
function isFasterThan(kmh: number, km: number, elapsedMs: number): boolean {
  return km * HOUR_MS > kmh * elapsedMs
}

/** `GPS_DRIFT_GUARD`: shorter than what either end may be off. A missing accuracy is 0. */
function isDrift(km: number, from: Fix, to: Fix): boolean {
  return km * 1000 < Math.max(from.accuracy ?? 0, to.accuracy ?? 0)
}

function fixOf({ lat, lng, recordedAt, accuracy }: Fix): Fix {
  return { lat, lng, recordedAt, accuracy }
}
