import { ApiError, type ApiErrorCode, STATUS_BY_CODE } from '@palanquin/service/http/api-error'
import { type Log, requestLog } from '@palanquin/service/log'
import type { RequestMetrics } from '@palanquin/service/request-metrics'
import { type PlainResponse, plainError, toResponse } from '../answer.ts'
import type { Readers } from '../readers/readers.ts'
import type { Cors } from './cors.ts'
import { requestIdOf } from './request-id.ts'

/** The result of a request's own work, the headers of its rate limit, and the address that reads the answer. */
export type RequestOutcome = {
  result: PlainResponse | ApiError
  limits?: Record<string, string>
  client?: () => string
}
export type RequestWork = (requestId: string) => Promise<RequestOutcome> | RequestOutcome

/** Lines about failed answers in a second: a service that is away must not fill the disk as well. */
const FAILURE_LINES_PER_S = 20

/** Asked every second by machines; in the log they would hide the rest. */
const QUIET_ROUTES = new Set(['/health', '/ready'])

const bug = new ApiError('bug', 'Something went wrong on our side. It has been logged; please try again.')

const NONE_REFUSED = Object.fromEntries(Object.keys(STATUS_BY_CODE).map((reason) => [reason, 0])) as Record<
  ApiErrorCode,
  number
>

/** What frames every answer: its id, CORS and security headers, the log line and the figures. */
export class Responder {
  readonly #cors: Cors
  readonly #metrics: RequestMetrics
  readonly #log: Log
  readonly #readers: Readers
  readonly #answered: ReturnType<typeof requestLog>
  readonly #refused: Record<ApiErrorCode, number> = { ...NONE_REFUSED }
  #second = 0
  #lines = 0
  #leaving = false

  constructor({
    cors,
    metrics,
    readers,
    log,
  }: { cors: Cors; metrics: RequestMetrics; readers: Readers; log: Log }) {
    this.#cors = cors
    this.#metrics = metrics
    this.#log = log
    this.#readers = readers
    this.#answered = requestLog(log)
  }

  /** How many requests were refused since the start, by reason. */
  get refused(): Readonly<Record<ApiErrorCode, number>> {
    return this.#refused
  }

  /** From now on every answer closes its connection: the client's next call goes to whoever listens beside this process. */
  leave(): void {
    this.#leaving = true
  }

  /** Answers a request with the result of `work`; an exception in it is a bug of ours, logged and answered 500. */
  async answer(request: Request, route: string, work: RequestWork): Promise<Response> {
    const startedMs = performance.now()
    const requestId = requestIdOf(request.headers)
    let outcome: RequestOutcome
    try {
      outcome = await work(requestId)
    } catch (error) {
      this.#log.error({ err: error, requestId, route }, 'a bug answered 500')
      outcome = { result: bug }
    }
    const { limits, client } = outcome
    const result =
      client && !(outcome.result instanceof ApiError)
        ? this.#readers.admit(request, outcome.result, client)
        : outcome.result
    if (result instanceof ApiError) this.#refused[result.code]++
    const answer = result instanceof ApiError ? plainError(result, requestId) : result
    this.#note({ request, route, requestId, status: answer.status, tookMs: performance.now() - startedMs })
    const cors = this.#cors.headers(request.headers)
    const common = limits ? { ...cors, ...limits } : cors
    return toResponse(withVary(answer, cors), {
      requestId,
      head: request.method === 'HEAD',
      common: this.#leaving ? { ...common, connection: 'close' } : common,
    })
  }

  /** `OPTIONS` on any path. */
  preflight(request: Request): Promise<Response> {
    const headers = { ...this.#cors.preflight }
    return this.answer(request, 'preflight', () => ({ result: { status: 204, headers, body: null } }))
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
    if (status >= 500 && status !== 501) {
      if (this.#mayWarn()) this.#answered('warn', line)
    } else this.#answered(QUIET_ROUTES.has(route) ? 'debug' : 'info', line)
  }

  #mayWarn(): boolean {
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#second) this.#lines = 0
    this.#second = second
    return this.#lines++ < FAILURE_LINES_PER_S
  }
}

/** What an answer varies by is what its service says and what CORS says. */
function withVary(answer: PlainResponse, cors: Record<string, string>): PlainResponse {
  const { vary } = answer.headers
  if (!vary || !cors.vary) return answer
  return { ...answer, headers: { ...answer.headers, vary: `${cors.vary}, ${vary}` } }
}
