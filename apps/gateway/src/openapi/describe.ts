import type { ApiErrorCode } from '@palanquin/service/http/api-error'
import type { Rule, Rules } from '../rate-limit/rules.ts'
import type { Route } from '../route.ts'

/** Under which heading a route stands. */
export const TAGS = {
  Participants: 'Profiles, consent and the survey',
  GPS: 'Check-ins, tracks and the map',
  'Cards and feedback': 'Share cards, feedback and its screenshots',
  Administration: 'With a token in the header X-Admin-Token: volunteer (1), manager (2) or owner (3)',
  LINE: 'What the chat platform calls',
  System: 'The activity, the state of the service, and this document',
} as const

export function tagOf({ tier, service, path }: Route): keyof typeof TAGS {
  if (path === '/webhook') return 'LINE'
  if (path === '/activity') return 'System'
  if (/^\/(?:og|feedback)/.test(path)) return 'Cards and feedback'
  if (tier > 0) return 'Administration'
  return service === 'tracking' || service === 'map' ? 'GPS' : 'Participants'
}

/** Whatever is asked: a Host that is not ours, plain HTTP behind a proxy, another method, a fault, a service that is away. */
const ANYWHERE = [
  'invalid',
  'forbidden',
  'methodNotAllowed',
  'bug',
  'badGateway',
  'unavailable',
  'timeout',
] as const satisfies readonly ApiErrorCode[]

/** Refusals that the gateway itself gives on a route. */
export function refusalsOfRow(route: Route): ApiErrorCode[] {
  const reasons: ApiErrorCode[] = [...ANYWHERE]
  if (route.method !== 'GET') reasons.push('tooLarge')
  if (route.token !== 'none' || route.userAuth !== 'none') reasons.push('unauthorized')
  if (route.path.includes('{')) reasons.push('notFound')
  if (route.limits.length > 0) reasons.push('tooMany')
  return reasons
}

/** What a reader should know besides the service's own words. */
export function notesOf(route: Route, rules: Rules): string[] {
  const notes: string[] = []
  if (route.tier > 0) notes.push(`Needs tier ${route.tier} or above.`)
  if (route.token === 'or-feedback-token') notes.push('X-Feedback-Token will do instead of an admin token.')
  if (route.token === 'optional') notes.push('An admin token is optional; a wrong one is 401.')
  if (route.userAuth === 'named')
    notes.push(
      'Who names a userId proves to be them with the LIFF ID token; of an administrator, X-Admin-Token will do where it is looked at.',
    )
  if (route.userAuth === 'instead')
    notes.push('The LIFF ID token of the userId itself will do instead of an admin token.')
  for (const name of route.limits) {
    const rule: Rule = rules[name]
    const { scope, limit, windowMs } = rule
    // An administrator's call is counted by the token alone.
    if (scope === 'user' && route.token === 'required' && route.userAuth === 'none') continue
    const per = scope === 'address' ? 'client address' : scope
    notes.push(`At most ${limit}${whatIsCounted(rule)} per ${per} in ${windowMs / 1_000} s.`)
  }
  return notes
}

/** Where it is not simply calls. */
function whatIsCounted({ of, only }: Rule): string {
  if (of === 'bytes') return ' bytes of bodies'
  if (of === 'participants') return ' participants of whom nobody has heard'
  return only === 'mapQueries' ? ' maps with a bbox, a limit or a token' : ''
}

export const securityOf = (route: Route): Record<string, never[]>[] =>
  route.userAuth === 'none' ? tokensOf(route) : [...provenOf(route), { LiffToken: [] }]

/** What will do besides the LIFF ID token. */
const provenOf = ({ userId, token }: Route): Record<string, never[]>[] => {
  if (token !== 'none') return [{ AdminToken: [] }]
  return userId === 'body?' ? [{}] : []
}

const tokensOf = ({ token }: Route): Record<string, never[]>[] => {
  if (token === 'none') return []
  if (token === 'required') return [{ AdminToken: [] }]
  return token === 'optional' ? [{}, { AdminToken: [] }] : [{ AdminToken: [] }, { FeedbackToken: [] }]
}
