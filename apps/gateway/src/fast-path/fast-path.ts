import { ALONE, CHARACTERS_MAX, fitsBatch } from '@palanquin/service/http/batch'
import { USER_TOKEN_HEADER } from '../auth/id-token.ts'
import { readBody } from '../middleware/body-limit.ts'
import type { CheckResult, Checks } from '../middleware/check.ts'
import { requestIdOf } from '../middleware/request-id.ts'
import type { Responder } from '../middleware/respond.ts'
import { OWN, type Params } from '../paths.ts'
import type { Batch } from '../proxy/batch.ts'
import { apiErrorOf } from '../proxy/failures.ts'
import type { BatchOf } from '../proxy/forward.ts'
import { batchedResponse } from '../proxy/headers.ts'
import type { AdmittedCall } from '../rate-limit/count-call.ts'
import type { Route } from '../route.ts'
import { namedUserIn } from './named-user.ts'
import { hasPlainBody, textOf } from './plain-request.ts'

/** What the checks need not find out again: the body, and that the service wants the call by itself. */
type Known = { received?: ArrayBuffer | undefined; isAlone?: boolean }
/** A request under way, and how the checks decide it from here on. */
type Visit = {
  request: Request
  route: Route
  requestId: string
  startedMs: number
  client: () => string
  decide: (known: Known) => Promise<CheckResult>
}
type Parts = {
  checks: Pick<Checks, 'checkHttps' | 'limits' | 'admission' | 'overloaded'>
  responder: Responder
  batchOf: BatchOf
}

/**
 * Answers what travels in batches (check-ins, syncs, profiles) where every check passes at once: such a request waits for its body,
 * its limits and the service, and for nothing else. It never refuses: whatever is unusual, has no place in a limit or is not accepted as it is
 * goes to the checks, which decide in the order of the contract and say why (docs/adr/0041-a-fast-path-that-never-refuses.md).
 */
export function fastPath({ checks, responder, batchOf }: Parts) {
  const { limits, admission } = checks

  const decided = async (visit: Visit, known: Known): Promise<Response> => {
    const { request, route, requestId, startedMs } = visit
    return responder.finish(request, { route: route.path, requestId, startedMs }, () => visit.decide(known))
  }

  /** The service's answer; undefined where the checks have to decide. */
  const answered = async (
    visit: Visit,
    { batch, userId, json }: { batch: Batch; userId: string | undefined; json: string },
    admitted: AdmittedCall,
  ): Promise<Response | undefined> => {
    const { request, route, requestId, startedMs, client } = visit
    const gather = route.method === 'GET'
    const outcome = await batch.add({ requestId, userId: userId ?? '', json }, { gather })
    if (outcome === ALONE) {
      admitted.giveBack()
      return undefined
    }
    const result = typeof outcome === 'string' ? apiErrorOf(outcome) : batchedResponse(outcome)
    const response = responder.complete(request, {
      result,
      limits: admitted.headers,
      client,
      route: route.path,
      requestId,
      startedMs,
    })
    admitted.settle?.(response.status, typeof outcome === 'string' || outcome.isNew)
    return response
  }

  const carry = async (
    visit: Visit,
    call: { batch: Batch; userId: string | undefined; json: string },
    bytes?: ArrayBuffer,
  ): Promise<Response> => {
    const { route, client } = visit
    const { userId, json } = call
    const counted = {
      client,
      userId,
      token: undefined,
      verifiedUserId: undefined,
      prover: undefined,
      bytes: json.length,
      query: '',
    }
    if (!fitsBatch(json) || admission.isFull(route.priority)) return decided(visit, { received: bytes })
    admission.entered()
    let admitted: AdmittedCall | undefined
    let response: Response | undefined
    try {
      admitted = await limits.tryCaller(route, counted)
      if (admitted) response = await answered(visit, call, admitted)
    } finally {
      admission.left()
    }
    return response ?? decided(visit, { received: bytes, isAlone: admitted !== undefined })
  }

  const write = async (visit: Visit, batch: Batch): Promise<Response> => {
    const body = await readBody(visit.request)
    if ('apiError' in body)
      return responder.complete(visit.request, { ...ended(visit), result: body.apiError })
    const json = textOf(body.bytes)
    const userId = json === undefined ? undefined : namedUserIn(json)
    if (json === undefined || userId === undefined) return decided(visit, { received: body.bytes })
    return carry(visit, { batch, userId, json }, body.bytes)
  }

  /** Undefined where nothing was begun, and the checks decide from the start. */
  return (
    request: Request,
    {
      route,
      params,
      peer,
      decide,
    }: {
      route: Route
      params: Params
      peer: () => string
      decide: (requestId: string, known: Known) => Promise<CheckResult>
    },
  ): Promise<Response> | undefined => {
    const batch = isCovered(route) ? batchOf(route) : undefined
    if (!batch || responder.isClosing || admission.isFull(route.priority)) return undefined
    const { headers, method } = request
    const isRead = method === 'GET'
    const isPlain = isRead ? isAnonymous(request, params) : hasPlainBody(headers, CHARACTERS_MAX)
    if (!isPlain) return undefined
    const secured = checks.checkHttps(headers, peer)
    if (!('client' in secured) || checks.overloaded(route)) return undefined
    const requestId = requestIdOf(headers)
    const visit: Visit = {
      request,
      route,
      requestId,
      startedMs: performance.now(),
      client: secured.client,
      decide: (known) => decide(requestId, known),
    }
    return isRead
      ? carry(visit, { batch, userId: undefined, json: JSON.stringify(params) })
      : write(visit, batch)
  }
}

/** Nothing depends on who calls, but for what is named. */
const isCovered = ({ batch, token, userAuth, method }: Route): boolean =>
  batch !== undefined &&
  token === 'none' &&
  (userAuth === 'none' || (userAuth === 'recognised' && method === 'GET'))

const isAnonymous = ({ url, headers }: Request, { userId }: Params): boolean =>
  userId !== OWN && !url.includes('?') && !headers.has('cookie') && !headers.has(USER_TOKEN_HEADER)

const ended = ({ route, requestId, startedMs }: Visit) => ({ route: route.path, requestId, startedMs })
