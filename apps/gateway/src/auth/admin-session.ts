import { ApiError } from '@palanquin/service/http/api-error'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { type Route, writes } from '../route.ts'
import type { IsOwnOrigin } from '../sessions/own-origin.ts'
import type { PresentSession } from '../sessions/present-session.ts'
import { type Caller, tooLow } from './caller.ts'

/** The administrator that a session cookie stands for; undefined where it stands for none, or must not count. */
export type AdminSession = (
  route: Route,
  headers: Headers,
  client: string,
) => Promise<Caller | ApiError | undefined>

export const foreignOrigin = new ApiError(
  'forbidden',
  'A write with a session cookie needs an Origin header that names this service: it did not come from one of its pages.',
)

/**
 * The tier of the session's role, in place of an admin token. Where a token is optional, a cookie that cannot be verified, or
 * comes from another site, leaves the caller what anybody is: browsers send it without being asked.
 */
export function adminSession({
  present,
  isOwnOrigin,
  limits,
}: {
  present: PresentSession
  isOwnOrigin: IsOwnOrigin
  limits: Pick<RateLimit, 'admin'>
}): AdminSession {
  return async (route, headers, client) => {
    const isOptional = route.token === 'optional'
    const session = await present(headers, () => client)
    if (session instanceof ApiError) return isOptional ? undefined : session
    if (!session || session.tier === 0) return undefined
    if (writes(route) && !isOwnOrigin(headers)) return isOptional ? undefined : foreignOrigin
    if (session.tier < route.tier) return route.userAuth === 'instead' ? undefined : tooLow
    const rate = await limits.admin(session.countedAs)
    if (rate instanceof ApiError) return rate
    const { tier, countedAs: token, userId: actor } = session
    return { tier, token, headers: rate.headers, actor }
  }
}
