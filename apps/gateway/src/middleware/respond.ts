import { ApiError, type ApiErrorCode, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { requestLog } from '@palanquin/service/request-log'
import type { RequestMetrics } from '@palanquin/service/request-metrics'
import type { PrebuiltResponse } from '../prebuilt/prebuilt-response.ts'
import type { Readers } from '../readers/readers.ts'
import { type LimitHeaders, type PlainResponse, plainError, toResponse } from '../response.ts'
import type { Cors } from './cors.ts'
import { requestIdOf } from './request-id.ts'

/** What a request led to, the headers of its rate limit, and the client's address. */
export type RequestOutcome = {
  result: PlainResponse | ApiError
  limits?: LimitHeaders
  client?: () => string
}
/** A request under way; `startedMs` of the monotonic clock. */
export type Begun = { route: string; requestId: string; startedMs: number }
export type RequestWork = (requestId: string) => Promise<RequestOutcome> | RequestOutcome

const bug = new ApiError('bug', 'Something went wrong on our side. It has been logged; please try again.')

const NONE_REFUSED = Object.fromEntries(Object.keys(STATUS_BY_CODE).map((reason) => [reason, 0])) as Record<
  ApiErrorCode,
  number
>

/** Completes every response: request id, CORS and security headers, the log line and the metrics. */
export class Responder {
  readonly #cors: Cors
  readonly #metrics: RequestMetrics
  readonly #log: Log
  readonly #readers: Readers
  readonly #logRequest: ReturnType<typeof requestLog>
  readonly #administrative: ReadonlySet<string>
  readonly #refused: Record<ApiErrorCode, number> = { ...NONE_REFUSED }
  #isClosing = false

  constructor({
    cors,
    metrics,
    readers,
    log,
    administrative,
  }: {
    cors: Cors
    metrics: RequestMetrics
    readers: Readers
    log: Log
    /** `METHOD /path` of the routes whose every call is logged. */
    administrative: ReadonlySet<string>
  }) {
    this.#cors = cors
    this.#metrics = metrics
    this.#log = log
    this.#readers = readers
    this.#logRequest = requestLog(log)
    this.#administrative = administrative
  }

  /** Requests refused since the start, by error code. */
  get refused(): Readonly<Record<ApiErrorCode, number>> {
    return this.#refused
  }

  /** From now on every response closes its connection: the client connects to the successor next. */
  closeConnections(): void {
    this.#isClosing = true
  }

  /** Responds with the result of `work`; an exception in it is a bug, logged and answered by 500. */
  respond(request: Request, route: string, work: RequestWork): Promise<Response> {
    const begun = { route, requestId: requestIdOf(request.headers), startedMs: performance.now() }
    return this.finish(request, begun, work)
  }

  /** The same for a request that was begun before. */
  async finish(request: Request, begun: Begun, work: RequestWork): Promise<Response> {
    const { route, requestId } = begun
    let outcome: RequestOutcome
    try {
      outcome = await work(requestId)
    } catch (error) {
      this.#log.error({ event: 'request.failed', err: error, requestId, route }, 'Bug: a request failed')
      outcome = { result: bug }
    }
    return this.complete(request, { ...begun, ...outcome })
  }

  /** Whether responses close their connections. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Responds with the result of work that was begun at `startedMs` and is done. */
  complete(
    request: Request,
    { result: given, limits, client, route, requestId, startedMs }: RequestOutcome & Begun,
  ): Response {
    const result =
      client && !(given instanceof ApiError) ? this.#readers.admit(request, given, client) : given
    if (result instanceof ApiError) this.#refused[result.code]++
    const response = result instanceof ApiError ? plainError(result, requestId) : result
    this.#note({ request, route, requestId, status: response.status, tookMs: performance.now() - startedMs })
    return toResponse(response, {
      requestId,
      head: request.method === 'HEAD',
      closes: this.#isClosing,
      cors: this.#cors.headers(request.headers),
      limits,
    })
  }

  /** Responds at once with what is in memory; undefined where the connection has to close. */
  respondPrebuilt(request: Request, route: string, prebuilt: PrebuiltResponse): Response | undefined {
    if (this.#isClosing) return undefined
    const requestId = requestIdOf(request.headers)
    this.#note({ request, route, requestId, status: prebuilt.status, tookMs: 0 })
    return prebuilt.toResponse(this.#cors.headers(request.headers), requestId)
  }

  /** `OPTIONS` on any path. */
  preflight(request: Request): Promise<Response> {
    const headers = { ...this.#cors.preflight }
    return this.respond(request, 'preflight', () => ({ result: { status: 204, headers, body: null } }))
  }

  #note({
    request,
    route,
    requestId,
    status,
    tookMs,
  }: {
    request: Request
    route: string
    requestId: string
    status: number
    tookMs: number
  }): void {
    const { method } = request
    this.#metrics.count({ method, route, status, tookMs })
    const line = { requestId, route, method, status, ms: Math.round(tookMs * 10) / 10 }
    this.#logRequest(line, this.#administrative.has(`${method} ${route}`))
  }
}
