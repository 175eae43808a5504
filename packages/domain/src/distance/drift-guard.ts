/** `GPS_DRIFT_GUARD` (contract 3.6): a stay is one place. Off by default. */
import { cosOfLatitude, haversineKm } from '../geo'
import type { Fix } from './fix'
import { Rules, type RulesState } from './rules'
import type { CountedKm } from './tally'

/** Contract 3.6. */
const STAY_MS_MIN = 5 * 60_000
const STAY_RADIUS_M = 40

/** Two fixes a second for the time of a stay; with more, the guard stops waiting. */
export const TAIL_FIXES_MAX = 600

/** `settled` is certain; the fixes of `tail` count unless the next points show that they were a stay. */
export type GuardState = {
  readonly settled: RulesState
  readonly tail: readonly Fix[]
  readonly stay: Stay | null
}
/** The place of a stay: the surroundings of its first fix. */
export type Stay = Pick<Fix, 'lat' | 'lng' | 'accuracy'>

/** A filter before the rules: it holds back what may become a stay, and gives them one place for it. */
export class DriftGuard {
  private tail: Fix[]
  private stay: Stay | null
  /** How many of the tail are known to lie around its first. */
  private around: number

  constructor(
    private readonly rules: Rules,
    { tail, stay }: Pick<GuardState, 'tail' | 'stay'>,
  ) {
    this.tail = [...tail]
    this.stay = stay
    this.around = tail.length
  }

  take(fix: Fix): void {
    if (this.stay !== null) {
      if (isAround(this.stay, fix)) {
        this.rules.stayUntil(fix.recordedAt)
        return
      }
      this.stay = null
    }
    this.tail.push(fix)
    this.sift()
  }

  /** The rules as if no point followed; the same object where nothing is held back. */
  soFar(): Rules {
    return withTail({ settled: this.rules, tail: this.tail })
  }

  state(): Pick<GuardState, 'tail' | 'stay'> {
    return { tail: this.tail, stay: this.stay }
  }

  /** Counts what is held back, as no point follows. */
  release(): void {
    for (const fix of this.tail) this.rules.step(fix)
    this.tail = []
  }

  /** Releases fixes that cannot begin a stay, and settles a stay that is long enough. */
  private sift(): void {
    for (let first = this.tail[0]; first !== undefined; first = this.tail[0]) {
      const last = this.lastAround(first)
      if (last.recordedAt - first.recordedAt >= STAY_MS_MIN) {
        this.settle(first, last.recordedAt)
        return
      }
      if (this.around === this.tail.length && this.around <= TAIL_FIXES_MAX) return
      this.rules.step(first)
      this.tail.shift()
      this.around = 0
    }
  }

  /** The last fix of the tail before the first one outside. */
  private lastAround(first: Fix): Fix {
    let last = this.tail[this.around - 1] ?? first
    for (let next = this.tail[this.around]; next !== undefined; next = this.tail[this.around]) {
      if (!isAround(first, next)) break
      last = next
      this.around++
    }
    return last
  }

  private settle(first: Fix, until: number): void {
    this.rules.stay(first, until)
    const after = this.tail.slice(this.around)
    this.tail = []
    this.around = 0
    this.stay = { lat: first.lat, lng: first.lng, accuracy: first.accuracy }
    for (const fix of after) this.take(fix)
  }
}

/** The kilometres that the tail adds to what is settled, by time. */
export function countedByTail({ settled, tail }: Pick<GuardState, 'settled' | 'tail'>): CountedKm[] {
  return tail.length === 0 ? [] : withTail({ settled, tail }).counted()
}

/** The kilometres as if no point followed. */
export const settledWithTail = (
  state: Pick<GuardState, 'settled' | 'tail'>,
): Pick<RulesState, 'walkedKm' | 'motorizedKm'> => withTail(state)

function withTail({ settled, tail }: { settled: RulesState; tail: readonly Fix[] }): Rules {
  if (tail.length === 0 && settled instanceof Rules) return settled
  const rules = new Rules(settled)
  for (const fix of tail) rules.step(fix)
  return rules
}

/** A missing accuracy is 0; fixes above 100 m are filtered before (rule 2.6.1). */
function isAround(first: Stay, fix: Fix): boolean {
  const [firstCos, cos] = [cosOfLatitude(first.lat), cosOfLatitude(fix.lat)]
  const km = haversineKm(first.lat, first.lng, firstCos, fix.lat, fix.lng, cos)
  return km * 1000 <= Math.max(STAY_RADIUS_M, first.accuracy ?? 0, fix.accuracy ?? 0)
}
