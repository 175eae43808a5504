/** The rules of distance: what the next point adds (specification 2.6). */
import { WALKING_SPEED_KMH_MAX } from '../carbon'
import { cosOfLatitude, haversineKm } from '../geo'
import type { Fix } from './fix'
import { type CountedKm, Tally } from './tally'

/** Specification 2.6.2: exactly this fast is not noise. */
const NOISE_SPEED_KMH = 300
/** Specification 2.6.3: exactly this far and this long counts. */
const STATIC_KM = 0.01
const STATIC_MS = 30_000
/** Contract 3.2: this many consistent noise points in a row show that the anchor is the outlier. */
const OUTLIER_RUN = 4

const HOUR_MS = 3_600_000
const NO_NOISE: readonly Fix[] = []

/** A fix that became the anchor: as the end of a counted segment, or (`begins`) as the first of one. */
export type Anchor = { readonly fix: Fix; readonly begins: boolean }

/** The state of the rules between two points, enough to continue from. */
export type RulesState = {
  readonly anchor: Fix | null
  readonly noise: readonly Fix[]
  readonly walkedKm: number
  readonly motorizedKm: number
}

/** A working copy of that state, to which eligible points are fed in order. */
export class Rules implements RulesState {
  anchor: Fix | null
  noise: readonly Fix[]
  walkedKm: number
  motorizedKm: number
  private anchorCos: number
  private readonly tally = new Tally()

  constructor(
    state: RulesState,
    private readonly onAnchor: ((anchor: Anchor) => void) | null = null,
  ) {
    this.anchor = state.anchor
    this.anchorCos = state.anchor === null ? 1 : cosOfLatitude(state.anchor.lat)
    this.noise = state.noise
    this.walkedKm = state.walkedKm
    this.motorizedKm = state.motorizedKm
  }

  /** `drawn` is the point at which a drawn line ends here, if it is not the fix itself. */
  step(to: Fix, drawn: Fix = to): void {
    const from = this.anchor
    if (from === null) {
      this.take(to, { fix: drawn, begins: true })
      return
    }
    const toCos = cosOfLatitude(to.lat)
    const km = haversineKm(from.lat, from.lng, this.anchorCos, to.lat, to.lng, toCos)
    const elapsedMs = to.recordedAt - from.recordedAt
    if (isFasterThan(NOISE_SPEED_KMH, km, elapsedMs)) {
      this.takeNoise(to)
      return
    }
    if (this.noise.length > 0) this.noise = NO_NOISE
    if (km < STATIC_KM || elapsedMs < STATIC_MS) return
    this.tally.at(to.recordedAt, this)
    if (isFasterThan(WALKING_SPEED_KMH_MAX, km, elapsedMs)) this.motorizedKm += km
    else this.walkedKm += km
    this.take(to, { fix: drawn, begins: false }, toCos)
  }

  /** A stay is one point at its first time, or at its last where that was too early for the rules. */
  stay(first: Fix, until: number): void {
    const atEnd = { ...first, recordedAt: until }
    this.step(first)
    if (this.noise.length === 0 && this.anchor !== first) this.step(atEnd, first)
    const isThere = this.anchor === first || this.anchor === atEnd
    this.noise = NO_NOISE
    this.anchor = atEnd
    this.anchorCos = cosOfLatitude(first.lat)
    if (!isThere) this.onAnchor?.({ fix: first, begins: true })
  }

  /** The stay continues until a later time. */
  stayUntil(until: number): void {
    if (this.anchor !== null) this.anchor = { ...this.anchor, recordedAt: until }
  }

  /** The counted kilometres in order; a segment belongs to the time at which it ends. */
  counted(): CountedKm[] {
    return this.tally.end(this)
  }

  private take(to: Fix, anchor: Anchor, cos = cosOfLatitude(to.lat)): void {
    this.anchor = to
    this.anchorCos = cos
    this.onAnchor?.(anchor)
  }

  private takeNoise(fix: Fix): void {
    const run = [...this.noise, fix]
    const [first, ...rest] = run
    if (run.length < OUTLIER_RUN || first === undefined) {
      this.noise = run
    } else if (areConsistent(run)) {
      this.noise = NO_NOISE
      this.take(first, { fix: first, begins: true })
      // They are consistent with each other, so this does not recurse again.
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

/** Without a division: some distance in no time is too fast, and no distance never is. */
function isFasterThan(kmh: number, km: number, elapsedMs: number): boolean {
  return km * HOUR_MS > kmh * elapsedMs
}
