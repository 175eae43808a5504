import { type ApiError, RETRY_AFTER_S, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
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

/** `{error, requestId}` with the status of the error's code. */
export function plainError({ code, message, headers }: ApiError, requestId: string): PlainResponse {
  const status = STATUS_BY_CODE[code]
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
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
  headers: { 'content-type': JSON_TYPE, ...headers },
  body: JSON.stringify(value),
})

/** All headers of a response but its request id; `common` are those of CORS and limits. It varies by what it says and by what CORS says. */
export function headersOf(
  { headers }: Pick<PlainResponse, 'headers'>,
  common: Readonly<Record<string, string>>,
): Record<string, string> {
  const all: Record<string, string> = { ...SECURITY_HEADERS, ...common, ...headers }
  if (headers.vary && common.vary) all.vary = `${common.vary}, ${headers.vary}`
  return all
}

/** Adds what every response carries. */
export function toResponse(
  response: PlainResponse,
  { requestId, head, common }: { requestId: string; head: boolean; common: Readonly<Record<string, string>> },
): Response {
  const { status, body } = response
  const headers = headersOf(response, common)
  headers['x-request-id'] = requestId
  if (!head) return new Response(body, { status, headers })
  const length = lengthOf(body)
  if (length !== undefined) headers['content-length'] = String(length)
  if (body instanceof ReadableStream) void body.cancel()
  return new Response(null, { status, headers })
}

function lengthOf(body: PlainResponse['body']): number | undefined {
  if (body === null) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Blob) return body.size
  return body instanceof ReadableStream ? undefined : body.byteLength
}
