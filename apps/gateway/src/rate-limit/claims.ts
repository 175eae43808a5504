import { countedAs } from '@palanquin/service/http/client-address'
import type { Route } from '../route.ts'
import type { ByteWindows } from './byte-windows.ts'
import type { Leases } from './leases.ts'
import type { Limiter } from './limiter.ts'
import type { NewParticipants } from './new-participants.ts'
import type { LimitName, Rule, Rules } from './rules.ts'
import type { Verdict, VerdictNow } from './verdict.ts'

/** What a request is counted by. */
export type Counted = {
  client: () => string
  userId: string | undefined
  token: string | undefined
  /** The `userId` that the caller has proven to be. */
  verifiedUserId: string | undefined
  /** What counts a caller who has proven who they are in the place of the address: the person, or the token. */
  prover: string | undefined
  /** Of its body. */
  bytes: number
  /** As it is forwarded. */
  query: string
}

/** Counts somebody who has proven to be that participant; an unauthenticated caller cannot name it: no userId has a colon. */
export const personId = (userId: string): string => `person:${userId}`

export type Counters = {
  limiter: Limiter
  /** Of the rule `pages`. */
  pages: Leases
  bytes: ByteWindows
  newParticipants: NewParticipants
  rules: Rules
}

/**
 * A rule that counts a request, and how a place in it is taken; undefined where there is nothing to count after all. `takeNow`
 * takes a place without a wait; undefined where it cannot be known at once whether there is one.
 */
export type Claim = {
  rule: Rule
  take: () => Promise<Verdict | undefined>
  takeNow?: () => VerdictNow | undefined
}

/** The rules of a route that count this request. */
export function claimsOf(route: Route, counted: Counted, counters: Counters): Claim[] {
  const claims: Claim[] = []
  for (const name of route.limits) {
    const claim = claimOf(name, { route, counted, counters })
    if (claim) claims.push(claim)
  }
  return claims
}

function claimOf(
  name: LimitName,
  { route, counted, counters }: { route: Route; counted: Counted; counters: Counters },
): Claim | undefined {
  const { limiter, pages, bytes, newParticipants, rules } = counters
  const rule: Rule = rules[name]
  const { userId, token, verifiedUserId, prover } = counted
  const addressOrProver = () => prover ?? countedAs(counted.client())
  // `admin` was counted right after the token was verified.
  if (name === 'admin') return undefined
  if (rule.scope === 'token')
    return token === undefined ? undefined : { rule, take: () => limiter.take({ name, rule, id: token }) }
  if (rule.only === 'mapQueries' ? !isMapQuery(counted) : token !== undefined) return undefined
  if (rule.of === 'participants') {
    if (userId === undefined || verifiedUserId !== undefined || newParticipants.isSeen(userId))
      return undefined
    const subject = { name, rule, id: countedAs(counted.client()) }
    return {
      rule,
      take: () => newParticipants.take(userId, subject),
      takeNow: () => newParticipants.takeNow(userId, subject),
    }
  }
  if (name === 'pages') return { rule, take: () => pages.take(addressOrProver()) }
  if (rule.scope === 'address') {
    const subject = { name, rule, id: addressOrProver() }
    return {
      rule,
      take: () => (rule.of === 'bytes' ? bytes.take(subject, counted.bytes) : limiter.take(subject)),
      ...(rule.of === undefined ? { takeNow: () => limiter.takeNow(subject) } : {}),
    }
  }
  if (userId === undefined) return undefined
  const id = verifiedUserId === undefined ? userId : personId(userId)
  const subject = { name: rule.perRoute ? `${name}:${route.path}` : name, rule, id }
  return { rule, take: () => limiter.take(subject), takeNow: () => limiter.takeNow(subject) }
}

/** The shared map has neither; `since` alone is for its changes. */
const isMapQuery = ({ token, query }: Counted): boolean =>
  token !== undefined || /[?&](?:bbox|limit)=/.test(query)
