import { ApiError, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import { type Answer, errorAnswer } from '../answer.ts'
import { type Authenticate, PUBLIC } from '../auth/admin-token.ts'
import { disproof, type Prove } from '../auth/id-token.ts'
import { namedIn } from '../auth/named-user.ts'
import type { Admission } from '../overload/admission.ts'
import type { Params } from '../paths.ts'
import type { Forward } from '../proxy/forward.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { isByAddress } from '../rate-limit/rules.ts'
import type { Route } from '../route.ts'
import { BODY_BYTES_MAX, type Rest, readBody } from './body-limit.ts'
import { readContent } from './content.ts'
import { lingering } from './drain.ts'
import type { Transport } from './https.ts'

export type Steps = {
  transport: Transport
  authenticate: Authenticate
  prove: Prove
  limits: RateLimit
  forward: Forward
  admission: Admission
  /** Whether the route's service has its hands full. */
  full: (route: Route) => ApiError | undefined
}

export type Asked = { route: Route; params: Params; request: Request; requestId: string; peer: () => string }
/** `limits` are the headers of the rate limit that counted the call, whatever became of it; `client` is there where it was served. */
export type Walked = { result: Answer | ApiError; limits: Record<string, string>; client?: () => string }

const NO_BYTES = new ArrayBuffer(0)

/**
 * One request through the checks, in the order of contract section 1 (its host, path and method are known by now):
 * HTTPS 403 → size 413 → (503 when there are too many) → token 401 → tier 403 → admin rate 429 → JSON and `userId` 400 → user rate 429 → the service.
 * With USER_AUTH=line the ID token's 401 comes with the other tokens', and the 403 for another's right after the `userId`,
 * so that nobody uses up somebody else's rate.
 */
export async function walk(
  steps: Steps,
  { route, params, request, requestId, peer }: Asked,
): Promise<Walked> {
  const secured = steps.transport(request.headers, peer)
  if (secured instanceof ApiError) return stopped(secured)
  const client = isAnybodys(route) ? secured.client : known(secured.client())

  // Before the body where that is small and announced: what is turned away should cost next to nothing.
  const crowded = isShort(request) ? (steps.admission.apiError(route.shed) ?? steps.full(route)) : undefined
  if (crowded) return stopped(crowded)
  const body = route.method === 'GET' ? { bytes: NO_BYTES } : await readBody(request)
  if ('apiError' in body)
    return stopped(
      body.rest
        ? whileSending(advised(body.apiError, route), body.rest, requestId)
        : advised(body.apiError, route),
    )
  const { bytes } = body
  // Counted from here on: a phone on a poor network that still sends its body holds up nobody.
  const walked = await steps.admission.admit(route.shed, () =>
    inside(steps, { asked: { route, params, request, requestId, peer }, bytes, client }),
  )
  return walked instanceof ApiError ? stopped(walked) : walked
}

/** The rest of the way, for a request that was let in. */
async function inside(
  steps: Steps,
  {
    asked: { route, params, request, requestId },
    bytes,
    client,
  }: { asked: Asked; bytes: ArrayBuffer; client: () => string },
): Promise<Walked> {
  const caller = route.token === 'none' ? PUBLIC : await steps.authenticate(route, request.headers, client())
  if (caller instanceof ApiError) return stopped(caller)
  const { tier, token } = caller
  const proof =
    route.proof === 'none' ? null : await steps.prove(route, { headers: request.headers, tier, client })
  if (proof instanceof ApiError) return stopped(proof, caller.headers)

  const content = readContent(route, request, bytes)
  if (content instanceof ApiError) return stopped(content, caller.headers)
  const { query } = content
  const userId = proof === null ? content.userId : await namedIn(content, { route, params, request, bytes })
  if (userId instanceof ApiError) return stopped(userId, caller.headers)
  const foreign = disproof(proof, userId)
  if (foreign) return stopped(foreign, caller.headers)
  const proven = proof?.userId

  const counted = { client, userId, token, proven, bytes: bytes.byteLength, query }
  const limited = await steps.limits.caller(route, counted)
  if (limited instanceof ApiError) return stopped(limited)

  let status: number = STATUS_BY_CODE.bug
  try {
    const { json } = content
    const checked = { route, params, query, bytes, json, requestId, tier, client, proven }
    const result = await steps.forward(request, checked)
    status = result instanceof ApiError ? STATUS_BY_CODE[result.code] : result.status
    return { result, limits: token === undefined ? limited.headers : caller.headers, client }
  } finally {
    limited.settle?.(status)
  }
}

/** A 413 with what the client can do about it, where the table says so. */
const advised = (apiError: ApiError, { whenTooLarge }: Route): ApiError =>
  apiError.code === 'tooLarge' && whenTooLarge !== ''
    ? new ApiError('tooLarge', `${apiError.message} ${whenTooLarge}`, apiError.headers)
    : apiError

/** Whether nothing depends on the address that a call comes from, as with those of the crowd that are counted by `userId`. */
const isAnybodys = ({ token, batch, limits }: Route): boolean =>
  token === 'none' && batch !== undefined && !limits.some(isByAddress)

/** Asked at once where something depends on it: of a connection that has closed nobody can tell whose it was. */
const known = (client: string) => () => client

/** A body that the server reads away by itself, so that the connection can go on. */
const isShort = ({ headers }: Request): boolean =>
  !headers.has('transfer-encoding') && Number(headers.get('content-length') ?? 0) <= BODY_BYTES_MAX

const stopped = (result: Answer | ApiError, limits: Record<string, string> = {}): Walked => ({
  result,
  limits,
})

function whileSending(apiError: ApiError, rest: Rest, requestId: string): Answer {
  const answer = errorAnswer(apiError, requestId)
  return { ...answer, body: lingering(String(answer.body), rest) }
}
