/** A sorted batch of points on its way through the rules: one mutable working copy of a track. */
import type { Point } from '../point'
import { countedByTail, DriftGuard, type GuardState } from './drift-guard'
import { countsForDistance } from './filter'
import type { Fix } from './fix'
import { type Anchor, Rules, type RulesState } from './rules'
import { type CountedKm, sumCounted } from './tally'
import type { Track } from './track'

/** Begins a pass from a track, which stays as it is. `onAnchor` gets every anchor that becomes certain. */
export function startPass(
  track: Track,
  driftGuard: boolean,
  onAnchor: ((anchor: Anchor) => void) | null = null,
): Pass {
  return new Pass(track, driftGuard, onAnchor)
}

/** The working copy. A pass begins with `startPass` and ends with `finish`. */
export class Pass {
  private readonly rules: Rules
  private readonly guard: DriftGuard | null
  private points: number
  private checkins: number

  constructor(
    private readonly before: Track,
    driftGuard: boolean,
    onAnchor: ((anchor: Anchor) => void) | null,
  ) {
    const guardState = driftGuard ? guardOf(before) : null
    this.rules = new Rules(guardState === null ? before : guardState.settled, onAnchor)
    this.guard = guardState === null ? null : new DriftGuard(this.rules, guardState)
    this.points = before.points
    this.checkins = before.checkins
  }

  /** Takes the next point in order; the caller makes sure that its key is new. */
  take(point: Point): void {
    this.points++
    if (point.kind === 'checkin') this.checkins++
    if (!countsForDistance(point)) return
    if (this.guard === null) this.rules.step(point)
    else this.guard.take(point)
  }

  /** The track that the pass has come to; `newest` is the last point taken. */
  finish(newest: Point): Track {
    const track: Track = {
      ...stateOf(this.guard === null ? this.rules : this.guard.soFar()),
      points: this.points,
      checkins: this.checkins,
      last: { recordedAt: newest.recordedAt, kind: newest.kind },
      lastFix: fixOf(newest),
    }
    if (this.guard === null) return track
    const { tail, stay } = this.guard.state()
    return { ...track, guard: { settled: stateOf(this.rules), tail: tail.map(fixOf), stay } }
  }

  /** Counts what the guard holds back, as no point follows; for callers that follow the anchors. */
  release(): void {
    this.guard?.release()
  }

  /** The kilometres counted in this pass, in order; a segment belongs to the time at which it ends. */
  counted(): CountedKm[] {
    const counted = this.rules.counted()
    if (this.guard === null) return counted
    return sumCounted(
      counted,
      countedByTail({ ...this.guard.state(), settled: this.rules }),
      this.countedBefore(),
    )
  }

  /** What the track had counted of a tail that the guard held back. */
  private countedBefore(): CountedKm[] {
    const guardState = guardOf(this.before)
    const { walkedKm, motorizedKm } = guardState.settled
    const isSettled = this.before.walkedKm === walkedKm && this.before.motorizedKm === motorizedKm
    return isSettled ? [] : countedByTail(guardState)
  }
}

/** The state of the guard; a track without one is settled. */
const guardOf = (track: Track): GuardState => track.guard ?? { settled: track, tail: [], stay: null }

const stateOf = ({ anchor, noise, walkedKm, motorizedKm }: RulesState): RulesState => ({
  anchor: anchor === null ? null : fixOf(anchor),
  noise: noise.map(fixOf),
  walkedKm,
  motorizedKm,
})

function fixOf({ lat, lng, recordedAt, accuracy }: Fix): Fix {
  return { lat, lng, recordedAt, accuracy }
}
