import { countedAs } from '@palanquin/service/http/client-address'
import { Refusal } from '@palanquin/service/http/refusal'
import type { Limiter, Subject, Verdict } from '../limits/limiter.ts'
import type { LimitName, Rules } from '../limits/rules.ts'
import type { Route } from '../route.ts'

/** Whose call it is, for the rules to count by. */
export type Counted = {
  client: () => string
  userId: string | undefined
  token: string | undefined
  /** The `userId` that the caller has proven to be. */
  proven: string | undefined
}

/** A call that all its rules let through (with the tightest one's headers), or the refusal of one. */
export type Limited = { headers: Record<string, string> } | Refusal

export type RateLimit = {
  /** The rule of admin tokens, right after the token was found good. */
  admin: (token: string) => Promise<Limited>
  /** The rules of the route by address and by user, in this order. */
  caller: (route: Route, counted: Counted) => Promise<Limited> | Limited
  /** Whether an address may still have its token looked at; `wrong` counts a failure. */
  guess: (client: string, outcome: { wrong: boolean }) => Promise<Limited>
}

const UNLIMITED: Limited = { headers: {} }

/** Every check lets everything through: `RATE_LIMITS=off`, for benchmarks. */
export const noRateLimit: RateLimit = {
  admin: async () => UNLIMITED,
  caller: async () => UNLIMITED,
  guess: async () => UNLIMITED,
}

/** The rate limits of contract section 1. */
export function rateLimit({ limiter, rules }: { limiter: Limiter; rules: Rules }): RateLimit {
  const one = async (subject: Subject): Promise<Limited> => {
    const verdict = await limiter.take(subject)
    if (!subject.rule.silent) return limitedBy(verdict)
    return verdict.allowed ? UNLIMITED : refusalOf(verdict.resetS, {})
  }
  return {
    admin: (token) => one({ name: 'admin', rule: rules.admin, id: token }),
    guess: async (client, { wrong }) => {
      const subject = { name: 'guesses', rule: rules.guesses, id: countedAs(client) }
      return limitedBy(await (wrong ? limiter.take(subject) : limiter.look(subject)))
    },
    caller: (route, counted) => {
      const subjects = route.limits.flatMap((name) => subjectOf({ name, route, rules, counted }))
      const [first, second] = subjects
      if (!first) return UNLIMITED
      return second ? both(limiter, [first, second]) : one(first)
    },
  }
}

/** The address first, so that made-up users cannot fill Redis; its place is given back when the user's rule refuses. */
async function both(limiter: Limiter, [byAddress, byUser]: [Subject, Subject]): Promise<Limited> {
  const address = await limiter.take(byAddress)
  if (!address.allowed) return limitedBy(address)
  const user = await limiter.take(byUser)
  if (!user.allowed) await address.giveBack()
  return limitedBy(user.allowed && address.remaining < user.remaining ? address : user)
}

function subjectOf({
  name,
  route,
  rules,
  counted,
}: {
  name: LimitName
  route: Route
  rules: Rules
  counted: Counted
}): Subject[] {
  const rule = rules[name]
  if (rule.scope === 'address') return [{ name, rule, id: countedAs(counted.client()) }]
  if (rule.scope === 'token' || counted.userId === undefined) return []
  // A place of its own, which nobody can fill who only says that name: no userId has a colon in it.
  const id = counted.proven === undefined ? counted.userId : `proven:${counted.userId}`
  return [{ name: 'perRoute' in rule ? `${name}:${route.path}` : name, rule, id }]
}

function limitedBy({ allowed, limit, remaining, resetS }: Verdict): Limited {
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  }
  if (allowed) return { headers }
  return refusalOf(resetS, headers)
}

const refusalOf = (resetS: number, headers: Record<string, string>): Refusal =>
  new Refusal('tooMany', `Too many requests. Please try again in ${resetS} seconds.`, {
    ...headers,
    'retry-after': String(resetS),
  })
