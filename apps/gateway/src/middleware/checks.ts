import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import type { AuthenticateAdmin } from '../auth/admin-token.ts'
import { type Caller, PUBLIC } from '../auth/caller.ts'
import { countCaller } from '../auth/count-caller.ts'
import { namedUserOf } from '../auth/named-user.ts'
import { withOwnId } from '../auth/own-id.ts'
import type { Recognise } from '../auth/recognise.ts'
import { type AuthenticateUser, ownIdentity, type UserIdentity, userMismatch } from '../auth/user.ts'
import type { Admission } from '../overload/admission.ts'
import type { Params } from '../paths.ts'
import type { Forward, PrebuiltRead } from '../proxy/forward.ts'
import { personId } from '../rate-limit/claims.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { isByAddress } from '../rate-limit/rules.ts'
import { type LimitHeaders, NO_LIMIT_HEADERS, type PlainResponse, plainError } from '../response.ts'
import type { Route } from '../route.ts'
import {
  announcedError,
  BODY_BYTES_MAX,
  type BodyReader,
  type RefusedBody,
  readBody,
  readLargeBody,
} from './body-limit.ts'

import { readContent } from './content.ts'
import { drainingBody } from './drain.ts'
import type { HttpsCheck } from './https.ts'
import { bytesOf, type LargeBodies } from './large-bodies.ts'

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

const notIssued = new ApiError('notFound', 'There is no such link.')
const NO_BYTES = new ArrayBuffer(0)

/**
 * The checks of a request, in the order of contract section 1 (its host, path and method are known by now):
 * HTTPS 403 → size 413 → (503 under overload) → token 401 → tier 403 → admin rate 429 → JSON and `userId` 400 → user rate 429 → the service.
 * Where the participant must be authenticated, its 401 comes with the admin token's, and the 403 for another user's token or
 * session right after the `userId`, so that an attacker cannot use up a victim's rate.
 */
export async function runChecks(checks: Checks, input: CheckInput): Promise<CheckResult> {
  const { route, request, requestId, peer, received } = input
  const secured = checks.checkHttps(request.headers, peer)
  if (secured instanceof ApiError) return rejected(secured)
  const client = needsNoAddress(route) ? secured.client : fixed(secured.client())
  // Admitted only with its body: a slow upload takes no place of others.
  const admitted = async (bytes: ArrayBuffer, before?: Authenticated): Promise<CheckResult> => {
    const checked = await checks.admission.admit(route.priority, async () => {
      const authenticated = before ?? (await authenticate(checks, input, client))
      if ('result' in authenticated) return authenticated
      return forwardAuthenticated(checks, authenticated, { input, bytes, client })
    })
    return checked instanceof ApiError ? rejected(checked) : checked
  }
  if (received) return admitted(received)

  // Before the body is read, so that a rejection costs next to nothing.
  const overloaded = hasSmallBody(request)
    ? (checks.admission.apiError(route.priority) ?? checks.overloaded(route))
    : undefined
  if (overloaded) return rejected(overloaded)
  const refused = ({ apiError, rest }: RefusedBody): CheckResult => {
    const advised = withAdvice(apiError, route)
    return rejected(rest ? drainingResponse(advised, rest, requestId) : advised)
  }
  const unread = ({ code, message, headers }: ApiError): CheckResult => {
    const closing = new ApiError(code, message, { ...headers, connection: 'close' })
    return refused({ apiError: closing, rest: request.body?.getReader() })
  }
  const bytesMax = route.bodyBytesMax
  if (bytesMax <= BODY_BYTES_MAX) {
    const body = route.method === 'GET' ? { bytes: NO_BYTES } : await readBody(request, { bytesMax })
    return 'apiError' in body ? refused(body) : admitted(body.bytes)
  }
  // A large body holds a place: only for somebody who may send it.
  const invalid = announcedError(request, bytesMax)
  if (invalid) return refused(invalid)
  const authenticated = await authenticate(checks, input, client)
  if ('result' in authenticated)
    return authenticated.result instanceof ApiError ? unread(authenticated.result) : authenticated
  const { caller, known } = authenticated
  const place = checks.largeBodies.take({
    bytes: bytesOf(request, bytesMax),
    address: client(),
    person: known?.userId ?? caller.token,
  })
  if (place instanceof ApiError) return unread(place)
  try {
    const body = await readLargeBody(request, bytesMax)
    return 'apiError' in body ? refused(body) : await admitted(body.bytes, authenticated)
  } finally {
    place()
  }
}

/** A caller whose credentials were looked at. */
type Authenticated = { caller: Caller; params: Params; known: UserIdentity }

/** Token 401, tier 403, admin rate 429, and the 401 of the participant. */
async function authenticate(
  checks: Checks,
  { route, params: named, request }: CheckInput,
  client: () => string,
): Promise<Authenticated | CheckResult> {
  const caller =
    route.token === 'none' ? PUBLIC : await checks.authenticateAdmin(route, request.headers, client())
  if (caller instanceof ApiError) return rejected(caller)
  const params = await withOwnId(checks.authenticateUser, {
    route,
    params: named,
    headers: request.headers,
    client,
  })
  if (params instanceof ApiError) return rejected(params, caller.headers)
  const known =
    route.userAuth === 'none'
      ? null
      : await checks.authenticateUser(route, { headers: request.headers, tier: caller.tier, client })
  if (known instanceof ApiError) return rejected(known, caller.headers)
  return { caller, params, known }
}

/** The remaining checks of an admitted request, and its call of the service. */
async function forwardAuthenticated(
  checks: Checks,
  { caller, params, known }: Authenticated,
  {
    input: { route, request, requestId, isAlone = false },
    bytes,
    client,
  }: { input: CheckInput; bytes: ArrayBuffer; client: () => string },
): Promise<CheckResult> {
  const { tier, token, actor } = caller

  const content = readContent(route, request, bytes)
  if (content instanceof ApiError) return rejected(content, caller.headers)
  const { query } = content
  const userId =
    known === null ? content.userId : await namedUserOf(content, { route, params, request, bytes })
  if (userId instanceof ApiError) return rejected(userId, caller.headers)
  const identity = route.userAuth === 'recognised' ? ownIdentity(known, userId) : known
  const mismatch = userMismatch(identity, userId)
  if (mismatch) return rejected(mismatch, caller.headers)
  const verifiedUserId = identity?.userId

  // A route for the caller's own data names no other person, and counts as theirs.
  const ofUser = userId ?? (route.userAuth === 'self' ? verifiedUserId : undefined)
  const { limited, prover } = await countCaller(checks, {
    route,
    headers: request.headers,
    counted: {
      client,
      userId: ofUser,
      token,
      verifiedUserId,
      prover: token ?? (known?.userId === undefined ? undefined : personId(known.userId)),
      bytes: bytes.byteLength,
      query,
    },
  })
  if (limited instanceof ApiError) return rejected(limited)

  let status: number = STATUS_BY_CODE.bug
  try {
    if (route.issued && !checks.tags.isTagged(route.issued, params.token ?? '')) {
      status = STATUS_BY_CODE.notFound
      return rejected(notIssued, limited.headers)
    }
    const { json } = content
    const named = route.userId === 'body' ? userId : undefined
    const checked = {
      ...{ route, params, query, bytes, json, userId: named },
      ...{ requestId, tier, client, verifiedUserId, actor, isAlone },
      prover,
    }
    const result = await checks.forward(request, checked)
    status = result instanceof ApiError ? STATUS_BY_CODE[result.code] : result.status
    return { result, limits: token === undefined ? limited.headers : caller.headers, client }
  } finally {
    limited.settle?.(status)
  }
}

/** A 413 with the advice of the table. */
const withAdvice = (apiError: ApiError, { whenTooLarge }: Route): ApiError =>
  apiError.code === 'tooLarge' && whenTooLarge !== ''
    ? new ApiError('tooLarge', `${apiError.message} ${whenTooLarge}`, apiError.headers)
    : apiError

/** Whether nothing depends on the client's address, as for check-ins, which are counted by `userId`. */
const needsNoAddress = ({ token, batch, limits }: Route): boolean =>
  token === 'none' && batch !== undefined && !limits.some(isByAddress)

/** Looked up at once where it matters: a closed connection has no address any more. */
const fixed = (client: string) => () => client

/** A body that Bun discards by itself, so that the connection stays open. */
const hasSmallBody = ({ headers }: Request): boolean =>
  !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) <= BODY_BYTES_MAX

const rejected = (result: PlainResponse | ApiError, limits = NO_LIMIT_HEADERS): CheckResult => ({
  result,
  limits,
})

function drainingResponse(apiError: ApiError, rest: BodyReader, requestId: string): PlainResponse {
  const response = plainError(apiError, requestId)
  return { ...response, body: drainingBody(String(response.body), rest) }
}
