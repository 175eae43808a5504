import type { CredentialTags } from '@palanquin/service/credential-tags'
import type { ApiError } from '@palanquin/service/http/api-error'
import type { AuthenticateAdmin } from '../auth/admin-token.ts'
import type { Recognise } from '../auth/recognise.ts'
import type { AuthenticateUser } from '../auth/user.ts'
import type { Admission } from '../overload/admission.ts'
import type { Params } from '../paths.ts'
import type { Forward, PrebuiltRead } from '../proxy/forward.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { type LimitHeaders, NO_LIMIT_HEADERS, type PlainResponse } from '../response.ts'
import type { Route } from '../route.ts'
import type { HttpsCheck } from './https.ts'
import type { LargeBodies } from './large-bodies.ts'

export type Checks = {
  checkHttps: HttpsCheck
  authenticateAdmin: AuthenticateAdmin
  authenticateUser: AuthenticateUser
  recognise: Recognise
  tags: CredentialTags
  limits: RateLimit
  forward: Forward
  prebuiltRead: PrebuiltRead
  admission: Admission
  largeBodies: LargeBodies
  /** The error of a route whose service cannot take another call. */
  overloaded: (route: Route) => ApiError | undefined
}

export type CheckInput = {
  route: Route
  params: Params
  request: Request
  requestId: string
  peer: () => string
  /** The body, where it was read before. */
  received?: ArrayBuffer | undefined
  /** Whether the service wants the call by itself. */
  isAlone?: boolean
}
/** `limits` are the headers of the rate limit that counted the request; `client` is set where a service responded. */
export type CheckResult = {
  result: PlainResponse | ApiError
  limits: LimitHeaders
  client?: () => string
}

export const rejected = (result: PlainResponse | ApiError, limits = NO_LIMIT_HEADERS): CheckResult => ({
  result,
  limits,
})
