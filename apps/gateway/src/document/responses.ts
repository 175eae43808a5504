import {
  ErrorAnswer,
  type HeaderName,
  headersOf,
  REFUSAL_TEXT,
  type ResponseObject,
} from '@palanquin/service/http/openapi'
import { REFUSAL_STATUS, type RefusalReason } from '@palanquin/service/http/refusal'

/** On every answer; those of a rate limit where one counted the call. */
const EVERYWHERE: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control']
const COUNTED: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
/** What a refusal carries besides. */
const OF_REASON: Partial<Record<RefusalReason, HeaderName>> = {
  methodNotAllowed: 'Allow',
  tooMany: 'Retry-After',
  unavailable: 'Retry-After',
}

const NAMES: Record<RefusalReason, string> = {
  invalid: 'BadRequest',
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  notFound: 'NotFound',
  methodNotAllowed: 'MethodNotAllowed',
  conflict: 'Conflict',
  tooLarge: 'ContentTooLarge',
  tooMany: 'TooManyRequests',
  bug: 'InternalServerError',
  notBuilt: 'NotImplemented',
  badGateway: 'BadGateway',
  unavailable: 'ServiceUnavailable',
  timeout: 'GatewayTimeout',
}

const refusal = (reason: RefusalReason): ResponseObject => {
  const own = OF_REASON[reason]
  return {
    description: REFUSAL_TEXT[reason],
    headers: headersOf([...EVERYWHERE, ...COUNTED, ...(own ? [own] : [])]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: {
          error: EXAMPLES[reason] ?? `${REFUSAL_TEXT[reason]}.`,
          requestId: 'V1StGXR8_Z5jdHi6B-myT',
        },
      },
    },
  }
}

const EXAMPLES: Partial<Record<RefusalReason, string>> = {
  invalid: 'lat: expected a number between -90 and 90',
  tooMany: 'Too many requests. Please try again in 12 seconds.',
  notFound: 'There is nothing at this path.',
}

/** `components` of the document: the error, and what each refusal looks like. */
export const REFUSAL_COMPONENTS = {
  schemas: { Error: ErrorAnswer },
  responses: Object.fromEntries(
    Object.entries(NAMES).map(([reason, name]) => [name, refusal(reason as RefusalReason)]),
  ),
}

/** The `responses` of these refusals, by reference. */
export const refusalResponses = (reasons: Iterable<RefusalReason>): Record<string, { $ref: string }> =>
  Object.fromEntries(
    [...new Set(reasons)].map((reason) => [
      String(REFUSAL_STATUS[reason]),
      { $ref: `#/components/responses/${NAMES[reason]}` },
    ]),
  )

/** An answer of a service with what the gateway puts on it. */
export function withGatewayHeaders(
  response: ResponseObject,
  { isCounted }: { isCounted: boolean },
): ResponseObject {
  const names = isCounted ? [...EVERYWHERE, ...COUNTED] : EVERYWHERE
  return { ...response, headers: { ...headersOf(names), ...response.headers } }
}
