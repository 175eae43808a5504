import { Lease } from './lease.ts'
import type { Limiter } from './limiter.ts'
import type { Rule } from './rules.ts'
import type { Subject, Verdict } from './verdict.ts'

/** Calls that one entry of the shared windows stands for: at most so many, and at most a thousandth of the limit. */
const PLACES_PER_LOT_MAX = 60
const LOTS_MIN = 1_000
/** How long a lot may be used. It stays in the shared window for so much longer. */
const LEASE_MS = 1_000

type Held = Lease & { renewal?: Promise<Verdict> | undefined }

/**
 * Counts a large limit by lots of places, taken from the shared windows ahead and handed out here: to ask Redis for every
 * read of the same bytes costs more than the bytes. No window admits more than its limit, as before; an address may lose
 * up to a lot a second in each gateway that it did not use.
 */
export class Leases {
  readonly #limiter: Pick<Limiter, 'take' | 'takeAhead' | 'noteRefused'>
  readonly #name: string
  readonly #rule: Rule
  readonly #placesPerLot: number
  /** Of lots instead of calls; undefined where each call is counted by itself. */
  readonly #lotRule: Rule | undefined
  readonly #nowMs: () => number
  readonly #leases = new Map<string, Held>()

  constructor({
    limiter,
    name,
    rule,
    nowMs = () => performance.now(),
  }: {
    limiter: Pick<Limiter, 'take' | 'takeAhead' | 'noteRefused'>
    name: string
    rule: Rule
    nowMs?: () => number
  }) {
    this.#limiter = limiter
    this.#name = name
    this.#rule = rule
    this.#placesPerLot = Math.min(PLACES_PER_LOT_MAX, Math.floor(rule.limit / LOTS_MIN))
    const limit = Math.floor(rule.limit / this.#placesPerLot)
    this.#lotRule =
      this.#placesPerLot < 2 ? undefined : { ...rule, limit, windowMs: rule.windowMs + LEASE_MS }
    this.#nowMs = nowMs
  }

  /** Ids with places at hand. */
  get size(): number {
    return this.#leases.size
  }

  /** Takes a place that is at hand; false where there is none, or where calls are counted by themselves. */
  takeNow(id: string): boolean {
    const lease = this.#leases.get(id)
    if (!lease?.take(this.#nowMs())) return false
    if (lease.isLow && !lease.renewal && this.#lotRule)
      void this.#renew(lease, this.#subject(this.#lotRule, id))
    return true
  }

  /** Counts a call, or refuses it without a trace. */
  async take(id: string): Promise<Verdict> {
    if (!this.#lotRule) return this.#limiter.take(this.#subject(this.#rule, id))
    while (!this.takeNow(id)) {
      const lease = this.#leaseOf(id)
      const underWay = lease.renewal
      const verdict = await (underWay ?? this.#renew(lease, this.#subject(this.#lotRule, id), 1))
      if (!verdict.allowed) this.#limiter.noteRefused(this.#name)
      if (!verdict.allowed) return verdict
      if (!underWay) return PLACE
    }
    return PLACE
  }

  #subject(rule: Rule, id: string): Subject {
    return { name: this.#name, rule, id }
  }

  /** Adds as many lots as are wanted and free. The caller's own places in them are taken at once. */
  #renew(lease: Held, subject: Subject, own = 0): Promise<Verdict> {
    const renewal = this.#lots(lease, subject, own).finally(() => {
      lease.renewal = undefined
    })
    lease.renewal = renewal
    return renewal
  }

  async #lots(lease: Held, subject: Subject, own: number): Promise<Verdict> {
    const sinceMs = this.#nowMs()
    const asked = Array.from({ length: lease.lotsWanted(sinceMs) }, () => this.#limiter.takeAhead(subject))
    const verdicts = await Promise.all(asked)
    const lots = verdicts.filter(({ allowed }) => allowed)
    const left = lots.length * this.#placesPerLot - own
    if (lots.length > 0) lease.add({ lots, left, sinceMs, untilMs: sinceMs + LEASE_MS })
    return lots[0] ?? verdicts[0] ?? PLACE
  }

  #leaseOf(id: string): Held {
    const known = this.#leases.get(id)
    if (known) return known
    const lease: Held = new Lease(this.#placesPerLot)
    this.#leases.set(id, lease)
    this.#expireLater(id, lease)
    return lease
  }

  #expireLater(id: string, lease: Held): void {
    setTimeout(() => {
      if (lease.expire(this.#nowMs()) && !lease.renewal) this.#leases.delete(id)
      else this.#expireLater(id, lease)
    }, LEASE_MS).unref()
  }
}

/** A place of a lot. It is not given back: no rule comes after those that are counted so. */
const PLACE: Verdict = {
  allowed: true,
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetS: 1,
  giveBack: async () => {},
}
