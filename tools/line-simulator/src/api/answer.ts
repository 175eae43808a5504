import { newRequestId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import type { Detail } from '../validation/line-error.ts'

/** What an endpoint answers: JSON, or bytes with their type. */
export type Answer = {
  status: number
  body: object | Uint8Array<ArrayBuffer>
  contentType?: string
  headers?: Record<string, string>
}

/** One call, read and let in. */
export type Call = {
  platform: Platform
  requestId: string
  method: string
  params: Record<string, string>
  query: URLSearchParams
  headers: Headers
  bytes: Uint8Array<ArrayBuffer>
}

export const ok = (body: object = {}, status = 200): Answer => ({ status, body })
/** LINE's error shape: `details` only where there are any. */
export const apiError = (status: number, message: string, details: Detail[] = []): Answer => ({
  status,
  body: { message, ...(details.length > 0 ? { details } : {}) },
})
export const notFound = (message = 'Not found') => apiError(404, message)

/** Puts an answer on the wire, with the request id that every answer of LINE has. */
export function responseOf({ status, body, contentType, headers = {} }: Answer, requestId = newRequestId()) {
  const isBytes = body instanceof Uint8Array
  return new Response(isBytes ? body : JSON.stringify(body), {
    status,
    headers: {
      'content-type': contentType ?? 'application/json',
      'x-line-request-id': requestId,
      ...headers,
    },
  })
}

/** The JSON of a call; an error when it is none, or has another content type. */
export function readJson({ bytes, headers }: Call): { value: unknown } | { refused: Answer } {
  const contentType = headers.get('content-type') ?? ''
  if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    return { refused: apiError(415, `The content type, ${contentType || 'null'}, is not supported`) }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch {
    return { refused: apiError(400, 'The request body could not be parsed as JSON (line: 1, column: 1)') }
  }
}
