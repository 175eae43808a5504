import { ApiError } from '@palanquin/service/http/api-error'
import { type Route, type Tier, writes } from '../route.ts'
import type { IsOwnOrigin } from '../sessions/own-origin.ts'
import type { PresentSession } from '../sessions/present-session.ts'
import { foreignOrigin } from './admin-session.ts'
import type { JudgeDeviceToken } from './device-owner.ts'
import { bearerOf, type JudgeIdToken, USER_TOKEN_HEADER } from './id-token.ts'
import type { Recognise } from './recognise.ts'

/** Administrators of this tier and above write in a participant's name, as they always could (contract section 5). */
const IMPERSONATION_TIER: Tier = 2

/** `USER_AUTH`: who may write in a participant's name (web face, section 2). */
export type UserAuth = 'off' | 'line' | 'session'

/**
 * The authenticated user of a call, undefined for an anonymous one; null where no authentication is needed. `problem`: why
 * a call that may be anonymous must not name anybody.
 */
export type UserIdentity = { userId: string | undefined; problem?: ApiError } | null

/** Comes before the body is read: 401 for a token or session that is missing or invalid, 503 when it cannot be verified. */
export type AuthenticateUser = (
  route: Route,
  caller: { headers: Headers; tier: Tier; client: () => string },
) => Promise<UserIdentity | ApiError>

const CHALLENGE = { 'www-authenticate': 'Bearer' }
const missingToken = new ApiError(
  'unauthorized',
  'This needs the LIFF ID token of the userId, as Authorization: Bearer <token>.',
  CHALLENGE,
)
const missingSession = new ApiError(
  'unauthorized',
  'This needs the session of the userId: sign in by POST /session, or send the LIFF ID token as Authorization: Bearer <token>.',
  CHALLENGE,
)
const foreign = new ApiError('forbidden', 'You are signed in as another userId.')

/**
 * Who the caller is, by an ID token or else by a session cookie. A token that is given is judged, also where the call may be
 * anonymous, and never replaced by the cookie. `USER_AUTH=line` takes no cookie for public writes, and `off` asks for nothing
 * there; what is the caller's own alone (`self`, `instead`) is opened by both in every mode.
 */
export function userAuthenticator({
  mode,
  judge,
  present,
  judgeDevice,
  recognise,
  isOwnOrigin,
}: {
  mode: UserAuth
  /** Undefined without LINE Login: Authorization is ignored then. */
  judge: JudgeIdToken | undefined
  present: PresentSession
  judgeDevice: JudgeDeviceToken
  recognise: Recognise
  isOwnOrigin: IsOwnOrigin
}): AuthenticateUser {
  const missing = mode === 'line' ? missingToken : missingSession
  const anonymous = (route: Route, problem: ApiError): UserIdentity | ApiError =>
    route.userId === 'body?' && route.userAuth === 'named' ? { userId: undefined, problem } : problem

  return async (route, { headers, tier, client }) => {
    if (route.userAuth === 'recognised') {
      const userId = (await recognise.surely(headers, client))?.userId
      return userId === undefined ? null : { userId }
    }
    const isNamed = route.userAuth === 'named'
    if (route.userAuth === 'none' || (isNamed && mode === 'off')) return null
    if (tier >= IMPERSONATION_TIER && route.userAuth !== 'self') return null
    const authorization = headers.get(USER_TOKEN_HEADER)
    const device =
      route.deviceToken && authorization !== null
        ? await judgeDevice(bearerOf(authorization), client)
        : undefined
    if (device) return device
    if (judge && authorization !== null) return judge(bearerOf(authorization), client)
    if (isNamed && mode === 'line') return anonymous(route, missing)
    const session = await present(headers, client)
    if (session instanceof ApiError) return session
    if (session?.userId === undefined) return anonymous(route, missing)
    if (writes(route) && !isOwnOrigin(headers)) return anonymous(route, foreignOrigin)
    return { userId: session.userId }
  }
}

/** The identity of a caller who was recognised, unless the call names another `userId`. */
export const ownIdentity = (identity: UserIdentity, named: string | undefined): UserIdentity =>
  named === undefined || identity?.userId === named ? identity : null

/** The error of a call that names another `userId` than its own: 401 where it is anonymous, 403 with another's. */
export function userMismatch(identity: UserIdentity, named: string | undefined): ApiError | undefined {
  if (identity === null || named === undefined || identity.userId === named) return undefined
  return identity.userId === undefined ? (identity.problem ?? missingSession) : foreign
}
