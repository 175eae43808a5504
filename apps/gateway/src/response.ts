import { type ApiError, RETRY_AFTER_S, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import { REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Relayed } from './proxy/relay.ts'

/** A response while it is put together; it becomes one Response at the very end. */
export type PlainResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | Blob | string | null
  /** How the client reads a body that is passed on from a service. */
  readonly relayed?: Relayed | undefined
}

/** On every response, errors too (security.md). A response's own headers win. */
const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}
export const JSON_TYPE = 'application/json; charset=utf-8'
/** The own headers of nearly every response; the same object, so that all headers of such a response are put together once. */
export const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': JSON_TYPE }

/** `{error, requestId}` with the status of the error's code. */
export function plainError({ code, message, headers }: ApiError, requestId: string): PlainResponse {
  const status = STATUS_BY_CODE[code]
  return {
    status,
    headers: {
      ...JSON_HEADERS,
      ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_S) } : {}),
      ...headers,
    },
    body: JSON.stringify({ error: message, requestId }),
  }
}

export const plainJson = (
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): PlainResponse => ({
  status,
  headers: { ...JSON_HEADERS, ...headers },
  body: JSON.stringify(value),
})

/** The headers of CORS for one form of origin; the same object for each request of that form. */
export type CorsHeaders = Readonly<Record<string, string>>

/** The headers of a rate limit. Frozen ones are those of many responses, all of whose headers are found by them. */
export type LimitHeaders = Readonly<Record<string, string>>
export const NO_LIMIT_HEADERS: LimitHeaders = Object.freeze({})

type Common = { plain: Headers; json: Headers }
const commonOf = new WeakMap<CorsHeaders, WeakMap<LimitHeaders, Common>>()

/** What such responses carry; to be copied. Put together once, because names and values are checked each time. */
function commonHeaders(cors: CorsHeaders, limits = NO_LIMIT_HEADERS): Common {
  const ofCors = commonOf.get(cors) ?? new WeakMap<LimitHeaders, Common>()
  commonOf.set(cors, ofCors)
  const known = ofCors.get(limits)
  if (known) return known
  const every = { ...SECURITY_HEADERS, ...cors, ...limits }
  const common = { plain: new Headers(every), json: new Headers({ ...every, ...JSON_HEADERS }) }
  ofCors.set(limits, common)
  return common
}

/** Adds a response's own headers. It varies by what it says and by what CORS says. */
function addHeaders(to: Headers, own: Readonly<Record<string, string>>, cors: CorsHeaders): void {
  for (const name in own) {
    const value = own[name] ?? ''
    to.set(name, name === 'vary' && cors.vary ? `${cors.vary}, ${value}` : value)
  }
}

/** All headers of a response but its request id. */
export function headersOf({ headers: own }: Pick<PlainResponse, 'headers'>, cors: CorsHeaders): Headers {
  const headers = new Headers(commonHeaders(cors).plain)
  addHeaders(headers, own, cors)
  return headers
}

/** Adds what every response carries, and the headers of its limits. */
export function toResponse(
  { status, headers: own, body, relayed }: PlainResponse,
  {
    requestId,
    head,
    closes,
    cors,
    limits,
  }: {
    requestId: string
    head: boolean
    /** Whether the client has to open another connection. */
    closes: boolean
    cors: CorsHeaders
    limits: LimitHeaders | undefined
  },
): Response {
  const isShared = limits === undefined || Object.isFrozen(limits)
  const common = commonHeaders(cors, isShared ? limits : NO_LIMIT_HEADERS)
  const isJson = own === JSON_HEADERS
  const response = new Response(head ? null : body, { status, headers: isJson ? common.json : common.plain })
  const { headers } = response
  if (!isShared) for (const name in limits) headers.set(name, limits[name] ?? '')
  if (!isJson) addHeaders(headers, own, cors)
  if (closes) headers.set('connection', 'close')
  headers.set(REQUEST_ID_HEADER, requestId)
  if (!head) return response
  const length = relayed?.bytes ?? lengthOf(body)
  if (length !== undefined) headers.set('content-length', String(length))
  if (body instanceof ReadableStream) void body.cancel()
  return response
}

function lengthOf(body: PlainResponse['body']): number | undefined {
  if (body === null) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Blob) return body.size
  return body instanceof ReadableStream ? undefined : body.byteLength
}
