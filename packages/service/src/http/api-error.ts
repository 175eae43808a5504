export const STATUS_BY_CODE = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  gone: 410,
  tooLarge: 413,
  tooMany: 429,
  bug: 500,
  badGateway: 502,
  unavailable: 503,
  timeout: 504,
} as const

export type ApiErrorCode = keyof typeof STATUS_BY_CODE

/** A client may try again after this many seconds when a store or a service is away. */
export const RETRY_AFTER_S = 5

/** An expected failure with a message for the client. It has no stack: capturing one takes 6 µs. */
export class ApiError extends Error {
  constructor(
    readonly code: ApiErrorCode,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ApiError'
  }
}

/** A needed store is away: 503 with Retry-After. Stores throw it, so that no handler can forget it. */
export class StoreUnavailable extends ApiError {
  constructor(store: string, cause?: unknown) {
    super(
      'unavailable',
      `The ${store} cannot be reached right now. Nothing was lost; please try again shortly.`,
    )
    this.name = 'StoreUnavailable'
    this.cause = cause
  }
}

type Said = Pick<ApiError, 'code' | 'message' | 'headers'>

export const errorBody = ({ message: sentence }: Said, requestId: string): string =>
  JSON.stringify({ error: sentence, requestId })

/** The `Retry-After` of an error; undefined where it has none. */
export const retryAfterOf = ({ code: reason, headers }: Said): string | undefined =>
  headers['retry-after'] ?? (STATUS_BY_CODE[reason] === 503 ? String(RETRY_AFTER_S) : undefined)

export function errorResponse(apiError: Said, requestId: string): Response {
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', ...apiError.headers })
  const retryAfter = retryAfterOf(apiError)
  if (retryAfter !== undefined) headers.set('retry-after', retryAfter)
  return new Response(errorBody(apiError, requestId), { status: STATUS_BY_CODE[apiError.code], headers })
}
