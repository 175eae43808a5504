import type { ApiError } from '@palanquin/service/http/api-error'
import { ALONE, BATCH_TYPE, fitsBatch } from '@palanquin/service/http/batch'
import { countedAs } from '@palanquin/service/http/client-address'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import type { PrebuiltResponse } from '../prebuilt/prebuilt-response.ts'
import { StreamSlots } from '../readers/stream-slots.ts'
import type { PlainResponse } from '../response.ts'
import type { Route, ServiceName } from '../route.ts'
import { Batch } from './batch.ts'
import { forReader } from './conditional.ts'
import { apiErrorOf, overloaded, tooManyStreams } from './failures.ts'
import { batchedResponse, type Checked, callOf, responseOf, streamHead, targetOf } from './headers.ts'
import { PublicCache } from './public-cache.ts'
import type { Service } from './service.ts'
import { SharedReads } from './shared-reads.ts'

/** The map of 300,000 participants is 12 MB. */
const SHARED_BYTES_MAX = 32 * 1_048_576

type Result = PlainResponse | ApiError
export type Forward = (request: Request, checked: Checked) => Promise<Result>
/** The response of a public read, where it is in memory and fresh. */
export type PrebuiltRead = (
  reader: Headers,
  read: Pick<Checked, 'route' | 'params' | 'query'>,
) => PrebuiltResponse | undefined
/** Where the calls of a route gather; undefined for a route that has no path for many of them. */
export type BatchOf = (route: Route) => Batch | undefined

/**
 * Forwards a checked request to its service: batched where the route has a batch path, and shared with other readers where its
 * response is the same for all.
 */
export function forwarder({
  services,
  internalToken,
}: {
  services: Readonly<Record<ServiceName, Service>>
  internalToken: string
}): { forward: Forward; prebuiltRead: PrebuiltRead; batchOf: BatchOf } {
  const batches = new Map<Route, Batch>()
  const batchOf: BatchOf = (route) => {
    const { batch: target } = route
    const known = batches.get(route)
    if (known || target === undefined) return known
    const headers = { [INTERNAL_TOKEN_HEADER]: internalToken, 'content-type': BATCH_TYPE }
    const { deadlineMs, priority } = route
    const service = services[route.service]
    const batch = new Batch({ service, target, headers, deadlineMs, priority })
    batches.set(route, batch)
    return batch
  }
  /** The response of a batched call; undefined where it is to be sent alone. */
  const inBatch = async (checked: Checked): Promise<Result | undefined> => {
    const { route, requestId } = checked
    const json = batchableOf(checked)
    const batch = batchOf(route)
    if (!batch || json === undefined || !fitsBatch(json)) return undefined
    const outcome = await batch.add({ requestId, userId: checked.userId ?? '', json })
    if (outcome === ALONE) return undefined
    return typeof outcome === 'string' ? apiErrorOf(outcome) : batchedResponse(outcome)
  }

  const shared = new SharedReads()
  const publicCache = new PublicCache()
  const slots = new StreamSlots()
  const send = async (
    request: Request,
    checked: Checked,
    options: { wholeBytesMax?: number } = {},
  ): Promise<Result> => {
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
    return responseOf(outcome, checked)
  }

  /** The same for every client, so nothing of the client's request is sent to the service. */
  const fromPublicCache = (request: Request, freshMs: number, given: Checked) => {
    const checked = withKnownQuery(given)
    return publicCache.read(targetOf(checked), {
      freshMs,
      reader: request.headers,
      load: () => send(EMPTY_REQUEST, checked, { wholeBytesMax: SHARED_BYTES_MAX }),
    })
  }

  const stream = async (request: Request, checked: Checked): Promise<Result> => {
    const free = slots.take(checked.prover ?? countedAs(checked.client()))
    if (!free) return tooManyStreams
    const response = await send(request, checked)
    if ('body' in response && response.relayed) response.relayed.watch({ ended: free })
    else free()
    return response
  }

  const forward: Forward = async (request, checked) => {
    const { route } = checked
    if (route.freshMs !== undefined) return fromPublicCache(request, route.freshMs, checked)
    if (route.stream && request.method === 'HEAD') return streamHead()
    if (route.stream) return stream(request, checked)
    const batched = route.batch === undefined || checked.isAlone ? undefined : await inBatch(checked)
    if (batched) return batched
    const key = sharedKey(request, checked)
    if (key !== undefined) {
      const load = () => send(unconditional(request), checked, { wholeBytesMax: SHARED_BYTES_MAX })
      const result = await shared.read(key, load)
      if (!('body' in result)) return result
      if (result.relayed) whenAborted(request.signal, result.relayed.drop)
      return forReader(result, request.headers.get('if-none-match'))
    }
    return send(request, checked)
  }
  const prebuiltRead: PrebuiltRead = (reader, read) => {
    const { freshMs } = read.route
    if (freshMs === undefined) return undefined
    return publicCache.prebuilt(targetOf(withKnownQuery(read)), { freshMs, reader })
  }
  return { forward, prebuiltRead, batchOf }
}

/** Calls back when the client has gone, also before. */
function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then()
  else signal.addEventListener('abort', then, { once: true })
}

/** A public read without parameters is one response, whatever is asked. */
const withKnownQuery = <R extends Pick<Checked, 'route' | 'query'>>(read: R): R =>
  read.route.parameters === undefined && read.query !== '' ? { ...read, query: '' } : read

const EMPTY_REQUEST = new Request('http://gateway.internal')

/** A 304 is for the client alone that has that version, so shared responses are loaded without a condition. */
function unconditional(request: Request): Request {
  if (!request.headers.has('if-none-match') && !request.headers.has('if-modified-since')) return request
  const headers = new Headers(request.headers)
  headers.delete('if-none-match')
  headers.delete('if-modified-since')
  return new Request(request.url, { headers, signal: request.signal })
}

/** What a batched call sends: the body, or the parameters of a GET; undefined where there is more to send. */
function batchableOf({ route, json, params, query, verifiedUserId }: Checked): string | undefined {
  if (route.method !== 'GET') return json
  return query === '' && verifiedUserId === undefined ? JSON.stringify(params) : undefined
}

/**
 * What distinguishes shared responses: the parameters that the service knows, and whether it is compressed; so made-up headers
 * cause no call. Responses to `since` are for one client alone.
 */
function sharedKey(request: Request, { route, query, tier }: Checked): string | undefined {
  if (!route.shared || tier !== 0 || query.includes('since=')) return undefined
  const isCompressed = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  return `${route.path}\n${query}\n${isCompressed}`
}

/** The error of a route whose service has no capacity left; checked first, so that a rejection costs next to nothing. */
export const capacityCheck =
  (services: Readonly<Record<ServiceName, Service>>) =>
  (route: Route): ApiError | undefined =>
    route.freshMs === undefined && services[route.service].isFull(route) ? overloaded : undefined
