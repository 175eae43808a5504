import type { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import { NO_LIMIT_HEADERS } from '../response.ts'
import type { Route } from '../route.ts'
import { type Counted, personId } from './claims.ts'
import { type Admitted, type AdmittedCall, admittedCall, countCall, type Parts } from './count-call.ts'
import { errorOf, headersOf } from './limit-headers.ts'
import type { Refusal } from './limiter.ts'
import type { Guess, Rule } from './rules.ts'

/** A request that its rules admit, with the headers of the tightest, or the error of one of them. */
export type Limited = Admitted | ApiError

export type RateLimit = {
  /**
   * A request of a phone app with so many points, by the hash of its write token; `isNearLimit` once two thirds of its
   * requests of a minute are gone.
   */
  device: (hash: string, points: number) => Promise<{ allowed: boolean; isNearLimit: boolean }>
  /** The rule of admin tokens, right after the token was verified. */
  admin: (token: string) => Promise<Limited>
  /** The rules of the route; an administrator's request is counted by some of them. */
  caller: (route: Route, counted: Counted) => Promise<Limited>
  /**
   * The same for a call whose service says whether the participant was new; undefined, with nothing counted,
   * where `caller` is to decide.
   */
  tryCaller: (route: Route, counted: Counted) => Promise<AdmittedCall | undefined>
  /** Counts a wrong credential of an address: the headers of its 401, or the 429 in its place. */
  wrong: (kind: Guess, client: string) => Promise<Limited>
  /** Whether the next wrong credential of an address would be a 429. */
  isSpent: (kind: Guess, client: string) => Promise<boolean>
  /** A new device of an address, or a failed proof at a sign-in. */
  signIn: (client: string) => Promise<Limited>
  /** A sign-in of somebody who has proven who they are. */
  signInOf: (userId: string) => Promise<Limited>
  /** What the gateway serves itself: its state, its document, a 404. By address, or by who has proven themselves. */
  read: (id: string) => Promise<Limited>
  /** The pages and their assets. */
  page: (id: string) => Promise<Limited>
  /** The same; false, with nothing counted, where `page` is to decide. */
  tryPage: (id: string) => Promise<boolean>
}

const UNLIMITED: Admitted = { headers: NO_LIMIT_HEADERS }

/** `RATE_LIMITS=off`, for benchmarks: everything is admitted. */
export const noRateLimit: RateLimit = {
  device: async () => ({ allowed: true, isNearLimit: false }),
  admin: async () => UNLIMITED,
  caller: async () => UNLIMITED,
  tryCaller: async () => ({ ...UNLIMITED, giveBack: () => {} }),
  wrong: async () => UNLIMITED,
  isSpent: async () => false,
  signIn: async () => UNLIMITED,
  signInOf: async () => UNLIMITED,
  read: async () => UNLIMITED,
  page: async () => UNLIMITED,
  tryPage: async () => true,
}

/** The rate limits of contract section 1. */
export function rateLimit(parts: Parts): RateLimit {
  const { limiter, rules } = parts
  const refusing = (refused: Refusal): ApiError => {
    limiter.noteRefused(refused.name)
    return errorOf(refused)
  }
  const one = async (name: string, rule: Rule, id: string): Promise<Limited> => {
    const { refused, verdicts } = await limiter.take([{ name, rule, id }])
    return refused ? refusing(refused) : { headers: rule.silent ? NO_LIMIT_HEADERS : headersOf(verdicts[0]) }
  }
  return {
    device: async (hash, points) => {
      const { refused, verdicts } = await limiter.take([
        { name: 'deviceRequests', rule: rules.deviceRequests, id: hash },
        { name: 'devicePoints', rule: rules.devicePoints, id: hash, amount: points },
      ])
      if (refused) limiter.noteRefused(refused.name)
      const { remaining = 0, limit = 0 } = verdicts[0] ?? {}
      return { allowed: !refused, isNearLimit: remaining * 3 < limit }
    },
    admin: (token) => one('admin', rules.admin, token),
    wrong: (kind, client) => one(kind, rules[kind], countedAs(client)),
    isSpent: (kind, client) => limiter.isSpent({ name: kind, rule: rules[kind], id: countedAs(client) }),
    signIn: (client) => one('sessions', rules.sessions, countedAs(client)),
    signInOf: (userId) => one('writesByUser:/session', rules.writesByUser, personId(userId)),
    read: (id) => one('readsByAddress', rules.readsByAddress, id),
    page: (id) => one('pages', rules.pages, id),
    tryPage: async (id) => {
      const { refused } = await limiter.take([{ name: 'pages', rule: rules.pages, id }])
      return !refused
    },
    caller: async (route, counted) => {
      const count = await countCall(parts, route, counted, { saysNew: false })
      return count.refused ? refusing(count.refused) : admittedCall(limiter, count)
    },
    tryCaller: async (route, counted) => {
      const count = await countCall(parts, route, counted, { saysNew: true })
      return count.refused ? undefined : admittedCall(limiter, count)
    },
  }
}
