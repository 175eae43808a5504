import { countedAs } from '@palanquin/service/http/client-address'
import type { Route } from '../route.ts'
import type { Charge } from './limiter.ts'
import type { LimitName, Rule, Rules } from './rules.ts'

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

/** The charges of a request by the rules of its route, but for the one of new participants. */
export function chargesOf(route: Route, counted: Counted, rules: Rules): Charge[] {
  const charges: Charge[] = []
  for (const name of route.limits) {
    const charge = chargeOf(name, { route, counted, rules })
    if (charge) charges.push(charge)
  }
  return charges
}

function chargeOf(
  name: LimitName,
  { route, counted, rules }: { route: Route; counted: Counted; rules: Rules },
): Charge | undefined {
  const rule: Rule = rules[name]
  const { client, userId, token, verifiedUserId, prover, bytes } = counted
  // `admin` was counted right after the token was verified.
  if (name === 'admin' || rule.of === 'participants') return undefined
  if (rule.scope === 'token') return token === undefined ? undefined : { name, rule, id: token }
  if (rule.only === 'mapQueries' ? !isMapQuery(counted) : token !== undefined) return undefined
  if (rule.scope === 'address')
    return { name, rule, id: prover ?? countedAs(client()), amount: rule.of === 'bytes' ? bytes : 1 }
  if (userId === undefined) return undefined
  const id = verifiedUserId === undefined ? userId : personId(userId)
  return { name: rule.perRoute ? `${name}:${route.path}` : name, rule, id }
}

/** Who may be a new participant: somebody who is named by a caller who has not proven to be them. */
export function newcomerOf(
  { limits }: Route,
  { userId, token, verifiedUserId }: Counted,
): string | undefined {
  const isCounted = limits.includes('newParticipants') && token === undefined
  return isCounted && verifiedUserId === undefined ? userId : undefined
}

export const newcomerCharge = ({ client }: Counted, { newParticipants }: Rules): Charge => ({
  name: 'newParticipants' satisfies LimitName,
  rule: newParticipants,
  id: countedAs(client()),
})

/** The shared map has neither; `since` alone is for its changes. */
const isMapQuery = ({ token, query }: Counted): boolean =>
  token !== undefined || /[?&](?:bbox|limit)=/.test(query)
