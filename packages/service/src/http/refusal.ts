/** What went wrong, in terms of the house; the status of each stands in ONE table. */
export const REFUSAL_STATUS = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  tooLarge: 413,
  tooMany: 429,
  bug: 500,
  notBuilt: 501,
  badGateway: 502,
  unavailable: 503,
  timeout: 504,
} as const

export type RefusalReason = keyof typeof REFUSAL_STATUS

/** A client may try again after this many seconds when a store or a service is away. */
export const RETRY_AFTER_S = 5

/** An expected failure with a sentence that a person can act on. Handlers return it; validators throw it. */
export class Refusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    readonly sentence: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(sentence)
    this.name = 'Refusal'
  }
}

/** A needed store is away: 503 with Retry-After. Thrown by stores, so that no handler can forget it. */
export class StoreUnavailable extends Refusal {
  constructor(store: string, cause?: unknown) {
    super(
      'unavailable',
      `The ${store} cannot be reached right now. Nothing was lost; please try again shortly.`,
    )
    this.name = 'StoreUnavailable'
    this.cause = cause
  }
}

/** Builds the JSON answer of a refusal; the body has the shape `{error, requestId}`. */
export function refusalResponse(
  refusal: Pick<Refusal, 'reason' | 'sentence' | 'headers'>,
  requestId: string,
): Response {
  const status = REFUSAL_STATUS[refusal.reason]
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', ...refusal.headers })
  if (status === 503 && !headers.has('retry-after')) headers.set('retry-after', String(RETRY_AFTER_S))
  return new Response(JSON.stringify({ error: refusal.sentence, requestId }), { status, headers })
}
