import type { ApiErrorCode } from '@palanquin/service/http/api-error'
import type { UserAuth } from '../auth/user.ts'
import { mayNameOwn } from '../paths.ts'
import type { Rule, Rules } from '../rate-limit/rules.ts'
import type { Route } from '../route.ts'

/** The tags of the document. */
export const TAGS = {
  Participants: 'Profiles, consent and the survey',
  GPS: 'Check-ins, tracks and the map',
  'Cards and feedback': 'Share cards, feedback and its screenshots',
  'Lost and found': 'Reports of people who are missing, or were found',
  Administration: 'With a token in the header X-Admin-Token: volunteer (1), manager (2) or owner (3)',
  LINE: 'What the chat platform calls',
  System: 'The activity, the state of the service, and this document',
} as const

export function tagOf({ tier, service, path }: Route): keyof typeof TAGS {
  if (path === '/webhook') return 'LINE'
  if (['/activity', '/places', '/route', '/notices', '/consent'].includes(path)) return 'System'
  if (/^\/(?:og|feedback)/.test(path)) return 'Cards and feedback'
  if (path.startsWith('/lost')) return 'Lost and found'
  if (tier > 0) return 'Administration'
  return service === 'tracking' || service === 'map' ? 'GPS' : 'Participants'
}

/** On every route: an unknown Host, plain HTTP behind a proxy, another method, a bug, a service that is away. */
const ANYWHERE = [
  'invalid',
  'forbidden',
  'methodNotAllowed',
  'bug',
  'badGateway',
  'unavailable',
  'timeout',
] as const satisfies readonly ApiErrorCode[]

/** The errors that the gateway itself gives on a route. */
export function errorsOf(route: Route): ApiErrorCode[] {
  const reasons: ApiErrorCode[] = [...ANYWHERE]
  if (route.method !== 'GET') reasons.push('tooLarge')
  const isOpen = route.token === 'none' && ['none', 'recognised'].includes(route.userAuth)
  if (!isOpen || mayNameOwn(route)) reasons.push('unauthorized')
  if (route.path.includes('{')) reasons.push('notFound')
  if (route.limits.length > 0 || route.handler === 'session') reasons.push('tooMany')
  return reasons
}

/** What the gateway adds to the service's description. */
export function notesOf(route: Route, rules: Rules): string[] {
  const notes: string[] = []
  if (route.tier > 0) notes.push(`Needs tier ${route.tier} or above.`)
  if (route.token === 'or-feedback-token') notes.push('X-Feedback-Token replaces an admin token.')
  if (route.token === 'feedback-token') notes.push('Needs the X-Feedback-Token of the case.')
  if (route.token === 'optional') notes.push('An admin token is optional; a wrong one is 401.')
  if (route.userAuth === 'named')
    notes.push(
      'A call that names a userId needs the LIFF ID token of that user or, with USER_AUTH=session, their session; an administrator may send X-Admin-Token instead, where it is read.',
    )
  if (route.userAuth === 'instead')
    notes.push('The session or the LIFF ID token of the userId itself replaces an admin token.')
  if (route.userAuth === 'self')
    notes.push(
      `For the participant alone, by their session${route.deviceToken ? ', LIFF ID token or the write token of a device' : ' or LIFF ID token'}.`,
    )
  for (const name of route.limits) {
    const rule: Rule = rules[name]
    const { scope, limit, windowMs } = rule
    // An administrator's call is counted by its token alone.
    if (scope === 'user' && route.token === 'required' && route.userAuth === 'none') continue
    const per = scope === 'address' ? 'client address, or person who is signed in,' : scope
    notes.push(`At most ${limit}${whatIsCounted(rule)} per ${per} in ${windowMs / 1_000} s.`)
  }
  return notes
}

/** Where a rule counts something else than calls. */
function whatIsCounted({ of, only }: Rule): string {
  if (of === 'bytes') return ' bytes of bodies'
  if (of === 'participants') return ' unregistered participants'
  return only === 'mapQueries' ? ' maps with a bbox, a limit or a token' : ''
}

/** What authenticates a participant: for a public write, which depends on `USER_AUTH`, and of what is the caller's own alone. */
export type Proofs = { named: readonly Proof[]; own: readonly Proof[] }
type Proof = 'LiffToken' | 'Session'

export const proofsOf = ({ mode, hasLine }: { mode: UserAuth; hasLine: boolean }): Proofs => {
  const own: Proof[] = hasLine ? ['LiffToken', 'Session'] : ['Session']
  return { own, named: mode === 'line' ? ['LiffToken'] : own }
}

export function securityOf(route: Route, { named, own }: Proofs): Record<string, never[]>[] {
  if (route.path === '/session') return [{}, { Session: [] }]
  if (route.path === '/session/link') return [{ Session: [] }]
  if (route.userAuth === 'none') return tokensOf(route)
  if (route.userAuth === 'recognised') return [{}, ...own.map((proof) => ({ [proof]: [] }))]
  const proofs: readonly (Proof | 'DeviceToken')[] = [
    ...(route.userAuth === 'named' ? named : own),
    ...(route.deviceToken ? (['DeviceToken'] as const) : []),
  ]
  return [...alternativesOf(route), ...proofs.map((proof) => ({ [proof]: [] }))]
}

/** The alternatives to being the participant. */
const alternativesOf = ({ userId, userAuth, token }: Route): Record<string, never[]>[] => {
  if (token !== 'none') return [{ AdminToken: [] }]
  return userAuth === 'named' && userId === 'body?' ? [{}] : []
}

const tokensOf = ({ token }: Route): Record<string, never[]>[] => {
  if (token === 'none') return []
  if (token === 'feedback-token') return [{ FeedbackToken: [] }]
  if (token === 'optional') return [{}, { AdminToken: [] }, { Session: [] }]
  const required = [{ AdminToken: [] }, { Session: [] }]
  return token === 'required' ? required : [...required, { FeedbackToken: [] }]
}
