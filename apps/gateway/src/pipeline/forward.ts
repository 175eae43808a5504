import { BATCH_TYPE, type BatchedAnswer, fitsBatch } from '@palanquin/service/http/batch'
import {
  CLIENT_HEADER,
  INTERNAL_TOKEN_HEADER,
  REQUEST_ID_HEADER,
  TIER_HEADER,
  USER_HEADER,
} from '@palanquin/service/http/headers'
import { Refusal, type RefusalReason } from '@palanquin/service/http/refusal'
import { type Answer, JSON_TYPE } from '../answer.ts'
import type { Route, ServiceName, Tier } from '../route.ts'
import type { Call, Reply } from '../upstream/attempt.ts'
import { Batch } from '../upstream/batch.ts'
import type { Outcome, Service } from '../upstream/service.ts'
import { SharedReads } from '../upstream/shared.ts'
import { FEEDBACK_TOKEN_HEADER } from './authenticate.ts'

/** What a service may be told of the client's request; everything else stays outside. */
const READ_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'if-none-match',
  'if-modified-since',
  'last-event-id',
]
const WRITE_HEADERS = ['content-type', 'accept-language']
const WEBHOOK_HEADERS = ['content-type', 'x-line-signature']
const FEEDBACK_HEADERS = [...WRITE_HEADERS, FEEDBACK_TOKEN_HEADER]
/** What a client may be told of the service's answer: to a write, and to a read. */
const WRITE_ANSWER_HEADERS = ['content-type', 'content-encoding', 'retry-after']
const READ_ANSWER_HEADERS = [
  ...WRITE_ANSWER_HEADERS,
  'content-disposition',
  'content-security-policy',
  'content-language',
  'etag',
  'last-modified',
  'vary',
]

/** Headers of a read that may change its answer. */
const SHARED_BY = ['accept', 'accept-encoding', 'accept-language', 'if-none-match', 'if-modified-since']
/** The map of 300,000 people is 12 MB. */
const SHARED_BYTES_MAX = 32 * 1_048_576

/** A request that has come through all checks. */
export type Checked = {
  route: Route
  params: Readonly<Record<string, string>>
  query: string
  bytes: ArrayBuffer
  /** The same as text, where it was read as JSON. */
  json: string | undefined
  requestId: string
  tier: Tier
  client: string
  /** The `userId` that the caller has proven to be. */
  proven: string | undefined
}

export type Forward = (request: Request, checked: Checked) => Promise<Answer | Refusal>

/**
 * Hands a checked request to its service, with others of its kind where the route has a way for many. The URL comes from
 * the table's row and checked parameters alone.
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
    })
    batches.set(route, batch)
    return batch
  }
  /** The answer that came for this call among others; undefined where it is to go alone. */
  const among = async ({ route, json, requestId }: Checked): Promise<Answer | Refusal | undefined> => {
    if (route.batch === undefined || json === undefined || !fitsBatch(json)) return undefined
    const outcome = await batchOf(route, route.batch).add({ requestId, json })
    if (outcome === 'alone') return undefined
    return typeof outcome === 'string' ? refusalOf(outcome) : batchedAnswer(outcome)
  }

  const shared = new SharedReads()
  const ask = async (
    request: Request,
    checked: Checked,
    options: { wholeBytesMax?: number } = {},
  ): Promise<Answer | Refusal> => {
    const { service, deadlineMs, repeatable, stream, shed } = checked.route
    const call = callOf(request.headers, checked, internalToken)
    const outcome = await services[service].call(call, { deadlineMs, repeatable, stream, shed, ...options })
    if (typeof outcome === 'string') return refusalOf(outcome)
    if (outcome.body instanceof ReadableStream)
      request.signal.addEventListener('abort', outcome.abort, { once: true })
    return answerOf(outcome, checked)
  }

  return async (request, checked) => {
    const { route } = checked
    if (!route.built) return new Refusal('notBuilt', 'This is not built yet.')
    if (route.stream && request.method === 'HEAD') return streamHead()
    const answered = route.batch === undefined ? undefined : await among(checked)
    if (answered) return answered
    const key = sharedKey(request, checked)
    if (key !== undefined)
      return shared.read(key, () => ask(request, checked, { wholeBytesMax: SHARED_BYTES_MAX }))
    return ask(request, checked)
  }
}

/** What a call is told apart by, where its answer is everybody's; a place in the stream of movements is one's own. */
function sharedKey(request: Request, { route, query, tier }: Checked): string | undefined {
  if (!route.shared || tier !== 0 || query.includes('since=')) return undefined
  const { headers } = request
  return [route.path, query, ...SHARED_BY.map((name) => headers.get(name) ?? '')].join('\n')
}

const batchedAnswer = ({ status, retryAfter, json }: BatchedAnswer): Answer => ({
  status,
  headers:
    retryAfter === ''
      ? { 'content-type': JSON_TYPE }
      : { 'content-type': JSON_TYPE, 'retry-after': retryAfter },
  body: json,
})

/**
 * Why a call of this route would not be let in by its service now, whatever else it is: asked first, so that it costs
 * next to nothing to be told so.
 */
export const fullness =
  (services: Readonly<Record<ServiceName, Service>>) =>
  (route: Route): Refusal | undefined =>
    services[route.service].isFull(route) ? full : undefined

/** An event stream has no end that a HEAD could wait for. */
const streamHead = (): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: null,
})

function callOf(
  given: Headers,
  { route, params, query, bytes, requestId, tier, client, proven }: Checked,
  token: string,
): Call {
  const headers: Record<string, string> = {
    [INTERNAL_TOKEN_HEADER]: token,
    [REQUEST_ID_HEADER]: requestId,
    [TIER_HEADER]: String(tier),
    [CLIENT_HEADER]: client,
  }
  if (proven !== undefined) headers[USER_HEADER] = proven
  for (const name of headersOf(route)) {
    const value = given.get(name)
    if (value !== null) headers[name] = value
  }
  return {
    method: route.method,
    target: targetOf(route.path, params) + query,
    headers,
    body: bytes.byteLength > 0 ? bytes : undefined,
  }
}

/** Parameters are `[A-Za-z0-9_-]` here, so nothing needs to be encoded. */
const targetOf = (path: string, params: Readonly<Record<string, string>>): string =>
  path.includes('{') ? path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '') : path

function headersOf(route: Route): readonly string[] {
  if (route.method === 'GET') return READ_HEADERS
  if (route.body === 'bytes') return WEBHOOK_HEADERS
  return route.token === 'or-feedback-token' ? FEEDBACK_HEADERS : WRITE_HEADERS
}

const full = new Refusal('unavailable', 'The service is very busy. Please try again in a second.', {
  'retry-after': '1',
})
const FAILURES: Record<Exclude<Outcome, Reply | 'full'>, readonly [RefusalReason, string]> = {
  unopened: ['badGateway', 'A part of the service cannot be reached right now. Please try again shortly.'],
  broken: [
    'badGateway',
    'A part of the service broke off. Please check whether it was done before you try again.',
  ],
  late: ['timeout', 'A part of the service did not answer in time. Please try again shortly.'],
}

function refusalOf(failure: Exclude<Outcome, Reply>): Refusal {
  if (failure === 'full') return full
  const [reason, sentence] = FAILURES[failure]
  return new Refusal(reason, sentence)
}

function answerOf(reply: Reply, { route, tier }: Checked): Answer {
  const headers: Record<string, string> = {}
  for (const name of route.method === 'GET' ? READ_ANSWER_HEADERS : WRITE_ANSWER_HEADERS) {
    const value = reply.headers.get(name)
    if (value !== null) headers[name] = value
  }
  const caching = reply.headers.get('cache-control')
  if (caching !== null && route.cache === 'service' && tier === 0 && reply.status < 400)
    headers['cache-control'] = caching
  return { status: reply.status, headers, body: bodyless(reply.status) ? null : reply.body }
}

const bodyless = (status: number): boolean => status === 204 || status === 304
