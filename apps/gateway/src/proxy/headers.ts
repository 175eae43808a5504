import type { BatchedAnswer } from '@palanquin/service/http/batch'
import {
  ACTOR_HEADER,
  ARRIVED_HEADER,
  CLIENT_HEADER,
  HOST_HEADER,
  INTERNAL_TOKEN_HEADER,
  REQUEST_ID_HEADER,
  TIER_HEADER,
  USER_HEADER,
} from '@palanquin/service/http/headers'
import { FEEDBACK_TOKEN_HEADER } from '../auth/admin-token.ts'
import { JSON_HEADERS, type PlainResponse } from '../response.ts'
import type { Route, Tier } from '../route.ts'
import type { Call, Reply } from './attempt.ts'

/** The client's headers that are forwarded; all others are dropped. */
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
/** The service's headers that are passed to the client: of a write, and of a read. */
const WRITE_RESPONSE_HEADERS = ['content-type', 'content-encoding', 'retry-after']
const READ_RESPONSE_HEADERS = [
  ...WRITE_RESPONSE_HEADERS,
  'content-disposition',
  'content-security-policy',
  'content-language',
  'etag',
  'last-modified',
  'vary',
]

/** A request that has passed all checks. */
export type Checked = {
  route: Route
  params: Readonly<Record<string, string>>
  query: string
  bytes: ArrayBuffer
  /** The body as text, where it was read as JSON. */
  json: string | undefined
  requestId: string
  tier: Tier
  client: () => string
  /** The `userId` that the call names and is counted by. */
  userId: string | undefined
  /** The `userId` that the caller has proven to be. */
  verifiedUserId: string | undefined
  /** The `userId` of an administrator who is signed in as a person. */
  actor: string | undefined
  /** What counts a caller who has proven who they are, in the place of the address. */
  prover: string | undefined
  /** Whether the service wants the call by itself. */
  isAlone: boolean
}

/** The call of the service. Its URL comes from the table and checked parameters alone. */
export function callOf(
  given: Headers,
  { route, params, query, bytes, requestId, tier, client, verifiedUserId, actor }: Checked,
  token: string,
): Call {
  const headers: Record<string, string> = {
    [INTERNAL_TOKEN_HEADER]: token,
    [REQUEST_ID_HEADER]: requestId,
    [TIER_HEADER]: String(tier),
    [CLIENT_HEADER]: client(),
  }
  if (route.method !== 'GET' || route.batch !== undefined) headers[ARRIVED_HEADER] = String(Date.now())
  const host = given.get('host')
  if (host !== null) headers[HOST_HEADER] = host
  if (verifiedUserId !== undefined) headers[USER_HEADER] = verifiedUserId
  if (actor !== undefined) headers[ACTOR_HEADER] = actor
  for (const name of headersOf(route)) {
    const value = given.get(name)
    if (value !== null) headers[name] = value
  }
  return {
    method: route.method,
    target: targetOf({ route, params, query }),
    headers,
    body: bytes.byteLength > 0 ? bytes : undefined,
  }
}

/** Path and query of the call. Parameters are `[A-Za-z0-9_-]` here, so nothing needs to be encoded. */
export const targetOf = ({
  route: { path },
  params,
  query,
}: Pick<Checked, 'route' | 'params' | 'query'>): string =>
  (path.includes('{') ? path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '') : path) + query

function headersOf(route: Route): readonly string[] {
  if (route.method === 'GET')
    return route.token === 'feedback-token' ? [...READ_HEADERS, FEEDBACK_TOKEN_HEADER] : READ_HEADERS
  if (route.body === 'bytes') return WEBHOOK_HEADERS
  return route.token === 'or-feedback-token' || route.token === 'feedback-token'
    ? FEEDBACK_HEADERS
    : WRITE_HEADERS
}

/** The response to the client of a service's reply. */
export function responseOf(reply: Reply, { route, tier }: Checked): PlainResponse {
  const headers: Record<string, string> = {}
  for (const name of route.method === 'GET' ? READ_RESPONSE_HEADERS : WRITE_RESPONSE_HEADERS) {
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

/** The response of a batched reply. */
export const batchedResponse = ({ status, retryAfter, json }: BatchedAnswer): PlainResponse => ({
  status,
  headers: retryAfter === '' ? JSON_HEADERS : { ...JSON_HEADERS, 'retry-after': retryAfter },
  body: json,
})

/** An event stream has no end for HEAD to wait for. */
export const streamHead = (): PlainResponse => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: null,
})
