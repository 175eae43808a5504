import { type Claim, type Count, type CountRequest, type CountResult, PREFIX } from './counts.ts'
import type { Rule } from './rules.ts'

/** A rule by its name, the id whose calls it counts, and what a call takes of the limit (1 if left out). */
export type Charge = { name: string; rule: Rule; id: string; amount?: number }
/** What the RateLimit headers say. `resetS`: until the oldest counted call leaves the window. */
export type Verdict = { limit: number; remaining: number; resetS: number }
/** The first charge that has no place; then nothing is taken. */
export type Refusal = Charge & { verdict: Verdict }
export type Taken = {
  charges: readonly Charge[]
  claims: readonly Claim[]
  atMs: number
  verdicts: readonly Verdict[]
  refused: Refusal | undefined
}

type CountBy = (request: CountRequest, options?: { isBeside?: boolean }) => Promise<CountResult>

const NOTHING: Taken = { charges: [], claims: [], atMs: 0, verdicts: [], refused: undefined }

/** Counts calls by their rules, each by all of them or by none. */
export class Limiter {
  readonly #count: CountBy
  readonly #seed: bigint
  readonly #refused = new Map<string, number>()

  /** `secret`: the same in all gateways; attackers without it do not find two ids of one key. */
  constructor({ count, secret = '' }: { count: CountBy; secret?: string }) {
    this.#count = count
    this.#seed = Bun.hash.wyhash(secret)
  }

  /** `isBeside`: the same call takes others too. */
  async take(charges: readonly Charge[], options: { isBeside?: boolean } = {}): Promise<Taken> {
    if (charges.length === 0) return NOTHING
    const claims = charges.map((charge) => this.#claimOf(charge))
    const { refused, counts, atMs } = await this.#count({ claims }, options)
    const verdicts = claims.map((claim, at) => verdictOf(claim, counts[at]))
    const [charge, verdict] = [charges[refused], verdicts[refused]]
    return { charges, claims, atMs, verdicts, refused: charge && verdict && { ...charge, verdict } }
  }

  /** Whether one more call would be refused. */
  async isSpent(charge: Charge): Promise<boolean> {
    const { verdicts } = await this.take([{ ...charge, amount: 0 }])
    return verdicts[0]?.remaining === 0
  }

  /** Takes back what was taken, or the charges that are meant. */
  giveBack({ charges, claims, atMs, refused }: Taken, isMeant = (_: Charge): boolean => true): void {
    if (refused) return
    const meant = claims.filter((_, at) => charges[at] && isMeant(charges[at]))
    if (meant.length > 0) void this.#count({ claims: meant, takenAtMs: atMs })
  }

  /** A call was refused by a rule. */
  noteRefused(name: string): void {
    const [rule = ''] = name.split(':')
    this.#refused.set(rule, (this.#refused.get(rule) ?? 0) + 1)
  }

  /** Calls that each rule has refused since the start, by its name without the route. */
  get refused(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#refused)
  }

  #claimOf({ name, rule: { limit, windowMs }, id, amount = 1 }: Charge): Claim {
    return { key: keyOf(name, id, this.#seed), amount, limit, windowMs }
  }
}

/** The hash (64 bits, wyhash) bounds a key, and keeps ids and addresses out of Redis. */
export const keyOf = (name: string, id: string, seed: bigint): string =>
  `${PREFIX}${name}:${Bun.hash.wyhash(id, seed).toString(36)}`

const verdictOf = ({ limit }: Claim, { used, freeInMs }: Count = { used: 0, freeInMs: 0 }): Verdict => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetS: Math.max(1, Math.ceil(freeInMs / 1_000)),
})
