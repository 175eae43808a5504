import type { BatchedAnswer } from '@palanquin/service/http/batch'
import {
  CLIENT_HEADER,
  INTERNAL_TOKEN_HEADER,
  REQUEST_ID_HEADER,
  TIER_HEADER,
  USER_HEADER,
} from '@palanquin/service/http/headers'
import { JSON_TYPE, type PlainResponse } from '../answer.ts'
import { FEEDBACK_TOKEN_HEADER } from '../auth/admin-token.ts'
import type { Route, Tier } from '../route.ts'
import type { Call, Reply } from './attempt.ts'

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
  client: () => string
  /** The `userId` that the caller has proven to be. */
  verifiedUserId: string | undefined
}

/** What its service is asked for a request. The URL comes from the table's row and checked parameters alone. */
export function callOf(
  given: Headers,
  { route, params, query, bytes, requestId, tier, client, verifiedUserId }: Checked,
  token: string,
): Call {
  const headers: Record<string, string> = {
    [INTERNAL_TOKEN_HEADER]: token,
    [REQUEST_ID_HEADER]: requestId,
    [TIER_HEADER]: String(tier),
    [CLIENT_HEADER]: client(),
  }
  if (verifiedUserId !== undefined) headers[USER_HEADER] = verifiedUserId
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

/** What the client is told of a service's reply. */
export function answerOf(reply: Reply, { route, tier }: Checked): PlainResponse {
  const headers: Record<string, string> = {}
  for (const name of route.method === 'GET' ? READ_ANSWER_HEADERS : WRITE_ANSWER_HEADERS) {
    const value = reply.headers.get(name)
    if (value !== null) headers[name] = value
  }
  const caching = reply.headers.get('cache-control')
  if (caching !== null && route.cache === 'service' && tier === 0 && reply.status < 400)
    headers['cache-control'] = caching
  const { status, body, relayed } = reply
  return bodyless(status) ? { status, headers, body: null } : { status, headers, body, relayed }
}

const bodyless = (status: number): boolean => status === 204 || status === 304

/** The same of a reply that came among others. */
export const batchedAnswer = ({ status, retryAfter, json }: BatchedAnswer): PlainResponse => ({
  status,
  headers:
    retryAfter === ''
      ? { 'content-type': JSON_TYPE }
      : { 'content-type': JSON_TYPE, 'retry-after': retryAfter },
  body: json,
})

/** An event stream has no end that a HEAD could wait for. */
export const streamHead = (): PlainResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: null,
})
