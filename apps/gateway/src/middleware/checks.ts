import { ApiError } from '@palanquin/service/http/api-error'
import { isByAddress } from '../rate-limit/rules.ts'
import { type PlainResponse, plainError } from '../response.ts'
import type { Route } from '../route.ts'
import { type Authenticated, authenticate, forwardAuthenticated } from './authenticated.ts'
import {
  announcedError,
  BODY_BYTES_MAX,
  type BodyReader,
  type RefusedBody,
  readBody,
  readLargeBody,
} from './body-limit.ts'
import { type CheckInput, type CheckResult, type Checks, rejected } from './check.ts'
import { drainingBody } from './drain.ts'
import { bytesOf } from './large-bodies.ts'

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

function drainingResponse(apiError: ApiError, rest: BodyReader, requestId: string): PlainResponse {
  const response = plainError(apiError, requestId)
  return { ...response, body: drainingBody(String(response.body), rest) }
}
