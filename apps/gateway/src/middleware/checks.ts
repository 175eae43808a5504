import { ApiError, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import { type PlainResponse, plainError } from '../answer.ts'
import { type AuthenticateAdmin, PUBLIC } from '../auth/admin-token.ts'
import { type AuthenticateUser, userMismatch } from '../auth/id-token.ts'
import { namedUserOf } from '../auth/named-user.ts'
import type { Admission } from '../overload/admission.ts'
import type { Params } from '../paths.ts'
import type { Forward } from '../proxy/forward.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { isByAddress } from '../rate-limit/rules.ts'
import type { Route } from '../route.ts'
import { BODY_BYTES_MAX, type BodyReader, readBody } from './body-limit.ts'
import { readContent } from './content.ts'
import { drainingBody } from './drain.ts'
import type { HttpsCheck } from './https.ts'

export type Checks = {
  checkHttps: HttpsCheck
  authenticateAdmin: AuthenticateAdmin
  authenticateUser: AuthenticateUser
  limits: RateLimit
  forward: Forward
  admission: Admission
  /** Whether the route's service has its hands full. */
  full: (route: Route) => ApiError | undefined
}

export type CheckInput = {
  route: Route
  params: Params
  request: Request
  requestId: string
  peer: () => string
}
/** `limits` are the headers of the rate limit that counted the call, whatever became of it; `client` is there where it was served. */
export type CheckResult = {
  result: PlainResponse | ApiError
  limits: Record<string, string>
  client?: () => string
}

const NO_BYTES = new ArrayBuffer(0)

/**
 * One request through the checks, in the order of contract section 1 (its host, path and method are known by now):
 * HTTPS 403 → size 413 → (503 when there are too many) → token 401 → tier 403 → admin rate 429 → JSON and `userId` 400 → user rate 429 → the service.
 * With USER_AUTH=line the ID token's 401 comes with the other tokens', and the 403 for another's right after the `userId`,
 * so that nobody uses up somebody else's rate.
 */
export async function runChecks(
  checks: Checks,
  { route, params, request, requestId, peer }: CheckInput,
): Promise<CheckResult> {
  const secured = checks.checkHttps(request.headers, peer)
  if (secured instanceof ApiError) return rejected(secured)
  const client = needsNoAddress(route) ? secured.client : fixed(secured.client())

  // Before the body where that is small and announced: what is turned away should cost next to nothing.
  const overloaded = hasSmallBody(request)
    ? (checks.admission.apiError(route.priority) ?? checks.full(route))
    : undefined
  if (overloaded) return rejected(overloaded)
  const body = route.method === 'GET' ? { bytes: NO_BYTES } : await readBody(request)
  if ('apiError' in body)
    return rejected(
      body.rest
        ? drainingResponse(withAdvice(body.apiError, route), body.rest, requestId)
        : withAdvice(body.apiError, route),
    )
  const { bytes } = body
  // Counted from here on: a phone on a poor network that still sends its body holds up nobody.
  const checked = await checks.admission.admit(route.priority, () =>
    authenticateAndForward(checks, { input: { route, params, request, requestId, peer }, bytes, client }),
  )
  return checked instanceof ApiError ? rejected(checked) : checked
}

/** The rest of the way, for a request that was let in. */
async function authenticateAndForward(
  checks: Checks,
  {
    input: { route, params, request, requestId },
    bytes,
    client,
  }: { input: CheckInput; bytes: ArrayBuffer; client: () => string },
): Promise<CheckResult> {
  const caller =
    route.token === 'none' ? PUBLIC : await checks.authenticateAdmin(route, request.headers, client())
  if (caller instanceof ApiError) return rejected(caller)
  const { tier, token } = caller
  const userAuth =
    route.userAuth === 'none'
      ? null
      : await checks.authenticateUser(route, { headers: request.headers, tier, client })
  if (userAuth instanceof ApiError) return rejected(userAuth, caller.headers)

  const content = readContent(route, request, bytes)
  if (content instanceof ApiError) return rejected(content, caller.headers)
  const { query } = content
  const userId =
    userAuth === null ? content.userId : await namedUserOf(content, { route, params, request, bytes })
  if (userId instanceof ApiError) return rejected(userId, caller.headers)
  const foreign = userMismatch(userAuth, userId)
  if (foreign) return rejected(foreign, caller.headers)
  const verifiedUserId = userAuth?.userId

  const counted = { client, userId, token, verifiedUserId, bytes: bytes.byteLength, query }
  const limited = await checks.limits.caller(route, counted)
  if (limited instanceof ApiError) return rejected(limited)

  let status: number = STATUS_BY_CODE.bug
  try {
    const { json } = content
    const checked = { route, params, query, bytes, json, requestId, tier, client, verifiedUserId }
    const result = await checks.forward(request, checked)
    status = result instanceof ApiError ? STATUS_BY_CODE[result.code] : result.status
    return { result, limits: token === undefined ? limited.headers : caller.headers, client }
  } finally {
    limited.settle?.(status)
  }
}

/** A 413 with what the client can do about it, where the table says so. */
const withAdvice = (apiError: ApiError, { whenTooLarge }: Route): ApiError =>
  apiError.code === 'tooLarge' && whenTooLarge !== ''
    ? new ApiError('tooLarge', `${apiError.message} ${whenTooLarge}`, apiError.headers)
    : apiError

/** Whether nothing depends on the address that a call comes from, as with those of the crowd that are counted by `userId`. */
const needsNoAddress = ({ token, batch, limits }: Route): boolean =>
  token === 'none' && batch !== undefined && !limits.some(isByAddress)

/** Asked at once where something depends on it: of a connection that has closed nobody can tell whose it was. */
const fixed = (client: string) => () => client

/** A body that the server reads away by itself, so that the connection can go on. */
const hasSmallBody = ({ headers }: Request): boolean =>
  !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) <= BODY_BYTES_MAX

const rejected = (result: PlainResponse | ApiError, limits: Record<string, string> = {}): CheckResult => ({
  result,
  limits,
})

function drainingResponse(apiError: ApiError, rest: BodyReader, requestId: string): PlainResponse {
  const answer = plainError(apiError, requestId)
  return { ...answer, body: drainingBody(String(answer.body), rest) }
}
