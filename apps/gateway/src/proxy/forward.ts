import { ApiError, type ApiErrorCode } from '@palanquin/service/http/api-error'
import { ALONE, BATCH_TYPE, fitsBatch } from '@palanquin/service/http/batch'
import { countedAs } from '@palanquin/service/http/client-address'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import type { PlainResponse } from '../answer.ts'
import { StreamSlots } from '../readers/stream-places.ts'
import type { Route, ServiceName } from '../route.ts'
import type { Reply } from './attempt.ts'
import { Batch } from './batch.ts'
import { answerOf, batchedAnswer, type Checked, callOf, streamHead } from './headers.ts'
import { PublicCache } from './public-cache.ts'
import type { Outcome, Service } from './service.ts'
import { SharedReads } from './shared-reads.ts'

/** The map of 300,000 people is 12 MB. */
const SHARED_BYTES_MAX = 32 * 1_048_576

export type Forward = (request: Request, checked: Checked) => Promise<PlainResponse | ApiError>

/**
 * Hands a checked request to its service, with others of its kind where the route has a way for many, and once for all who ask
 * for the same where its answer is everybody's.
 */
export function forwarder({
  services,
  internalToken,
}: {
  services: Readonly<Record<ServiceName, Service>>
  internalToken: string
}): Forward {
  const batches = new Map<Route, Batch>()
  const batchOf = (route: Route, target: string): Batch => {
    const known = batches.get(route)
    if (known) return known
    const headers = { [INTERNAL_TOKEN_HEADER]: internalToken, 'content-type': BATCH_TYPE }
    const batch = new Batch({
      service: services[route.service],
      target,
      headers,
      deadlineMs: route.deadlineMs,
      priority: route.priority,
    })
    batches.set(route, batch)
    return batch
  }
  /** The answer that came for this call among others; undefined where it is to go alone. */
  const among = async (checked: Checked): Promise<PlainResponse | ApiError | undefined> => {
    const { route, requestId } = checked
    const json = batchableOf(checked)
    if (route.batch === undefined || json === undefined || !fitsBatch(json)) return undefined
    const outcome = await batchOf(route, route.batch).add({ requestId, json })
    if (outcome === ALONE) return undefined
    return typeof outcome === 'string' ? apiErrorOf(outcome) : batchedAnswer(outcome)
  }

  const shared = new SharedReads()
  const publicCache = new PublicCache()
  const places = new StreamSlots()
  const ask = async (
    request: Request,
    checked: Checked,
    options: { wholeBytesMax?: number } = {},
  ): Promise<PlainResponse | ApiError> => {
    const { service, deadlineMs, repeatable, stream, priority } = checked.route
    const call = callOf(request.headers, checked, internalToken)
    const outcome = await services[service].call(call, {
      deadlineMs,
      repeatable,
      stream,
      priority,
      ...options,
    })
    if (typeof outcome === 'string') return apiErrorOf(outcome)
    if (outcome.body instanceof ReadableStream)
      request.signal.addEventListener('abort', outcome.abort, { once: true })
    return answerOf(outcome, checked)
  }

  /** The same for everybody: nothing of who asks, or what with, goes to the service. */
  const fromMemo = (request: Request, freshMs: number, checked: Checked) =>
    publicCache.read(checked.route.path, {
      freshMs,
      ifNoneMatch: request.headers.get('if-none-match'),
      ask: () => ask(BARE, { ...checked, query: '' }, { wholeBytesMax: SHARED_BYTES_MAX }),
    })

  const follow = async (request: Request, checked: Checked): Promise<PlainResponse | ApiError> => {
    const leave = places.take(countedAs(checked.client()))
    if (!leave) return tooManyStreams
    const answer = await ask(request, checked)
    if ('body' in answer && answer.relayed) answer.relayed.watch({ ended: leave })
    else leave()
    return answer
  }

  return async (request, checked) => {
    const { route } = checked
    if (route.freshMs !== undefined) return fromMemo(request, route.freshMs, checked)
    if (route.stream && request.method === 'HEAD') return streamHead()
    if (route.stream) return follow(request, checked)
    const answered = route.batch === undefined ? undefined : await among(checked)
    if (answered) return answered
    const key = sharedKey(request, checked)
    if (key !== undefined)
      return shared.read(key, () => ask(request, checked, { wholeBytesMax: SHARED_BYTES_MAX }))
    return ask(request, checked)
  }
}

/** A request without a word of its own. */
const BARE = new Request('http://gateway.internal')

/** What a call among others tells its service: the body, or whose page is read; undefined where there is more to tell. */
function batchableOf({ route, json, params, query }: Checked): string | undefined {
  if (route.method !== 'GET') return json
  return query === '' ? JSON.stringify(params) : undefined
}

/**
 * What a call is told apart by, where its answer is everybody's: the parameters that its service knows, and whether it is
 * compressed. A header that a client makes up asks for no answer of its own. A place in the movements is one client's alone.
 */
function sharedKey(request: Request, { route, query, tier }: Checked): string | undefined {
  if (!route.shared || tier !== 0 || query.includes('since=')) return undefined
  const isCompressed = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  return `${route.path}\n${query}\n${isCompressed}`
}

/**
 * Why a call of this route would not be let in by its service now, whatever else it is: asked first, so that it costs
 * next to nothing to be told so.
 */
export const capacityCheck =
  (services: Readonly<Record<ServiceName, Service>>) =>
  (route: Route): ApiError | undefined =>
    route.freshMs === undefined && services[route.service].isFull(route) ? full : undefined

const full = new ApiError('unavailable', 'The service is very busy. Please try again in a second.', {
  'retry-after': '1',
})
/** A place is free again when a stream has grown old, or its page is closed. */
const tooManyStreams = new ApiError(
  'tooMany',
  'Your address follows the map as often as it may already. Please close one of its pages, or read /data now and then.',
  { 'retry-after': '30' },
)
const FAILURES: Record<Exclude<Outcome, Reply | 'full'>, readonly [ApiErrorCode, string]> = {
  unopened: ['badGateway', 'A part of the service cannot be reached right now. Please try again shortly.'],
  broken: [
    'badGateway',
    'A part of the service broke off. Please check whether it was done before you try again.',
  ],
  late: ['timeout', 'A part of the service did not answer in time. Please try again shortly.'],
}

function apiErrorOf(failure: Exclude<Outcome, Reply>): ApiError {
  if (failure === 'full') return full
  const [reason, sentence] = FAILURES[failure]
  return new ApiError(reason, sentence)
}
