import { type ApiErrorCode, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import type { ResponseObject } from '@palanquin/service/http/openapi'
import { ERROR_TEXT, ErrorAnswer } from '@palanquin/service/http/openapi-errors'
import { type HeaderName, headersOf } from '@palanquin/service/http/openapi-headers'

/** On every response; those of a rate limit where one counted the request. */
const EVERYWHERE: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control']
const COUNTED: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
/** Of what is the same for everybody, compressed where it is large. */
const COMPRESSED: readonly HeaderName[] = ['Vary', 'Content-Encoding']
/** The header of an error. */
const HEADER_OF: Partial<Record<ApiErrorCode, HeaderName>> = {
  methodNotAllowed: 'Allow',
  tooMany: 'Retry-After',
  unavailable: 'Retry-After',
}

const NAMES: Record<ApiErrorCode, string> = {
  invalid: 'BadRequest',
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  notFound: 'NotFound',
  methodNotAllowed: 'MethodNotAllowed',
  gone: 'Gone',
  conflict: 'Conflict',
  tooLarge: 'ContentTooLarge',
  tooMany: 'TooManyRequests',
  bug: 'InternalServerError',
  badGateway: 'BadGateway',
  unavailable: 'ServiceUnavailable',
  timeout: 'GatewayTimeout',
}

const apiError = (reason: ApiErrorCode): ResponseObject => {
  const own = HEADER_OF[reason]
  return {
    description: ERROR_TEXT[reason],
    headers: headersOf([...EVERYWHERE, ...COUNTED, ...(own ? [own] : [])]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: {
          error: EXAMPLES[reason] ?? `${ERROR_TEXT[reason]}.`,
          requestId: 'V1StGXR8_Z5jdHi6B-myT',
        },
      },
    },
  }
}

const EXAMPLES: Partial<Record<ApiErrorCode, string>> = {
  invalid: 'lat: expected a number between -90 and 90',
  tooMany: 'Too many requests. Please try again in 12 seconds.',
  notFound: 'There is nothing at this path.',
}

/** `components` of the document: the error schema, and the response of each error code. */
export const ERROR_COMPONENTS = {
  schemas: { Error: ErrorAnswer },
  responses: Object.fromEntries(
    Object.entries(NAMES).map(([reason, name]) => [name, apiError(reason as ApiErrorCode)]),
  ),
}

/** The `responses` of these errors, by reference. */
export const errorResponses = (reasons: Iterable<ApiErrorCode>): Record<string, { $ref: string }> =>
  Object.fromEntries(
    [...new Set(reasons)].map((reason) => [
      String(STATUS_BY_CODE[reason]),
      { $ref: `#/components/responses/${NAMES[reason]}` },
    ]),
  )

/** The response of a service with the gateway's headers. */
export function withGatewayHeaders(
  response: ResponseObject,
  { isCounted, isCompressed = false }: { isCounted: boolean; isCompressed?: boolean },
): ResponseObject {
  const names = [...EVERYWHERE, ...(isCounted ? COUNTED : []), ...(isCompressed ? COMPRESSED : [])]
  return { ...response, headers: { ...headersOf(names), ...response.headers } }
}
