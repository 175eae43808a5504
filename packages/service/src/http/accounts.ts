import { batchLog, type Log, requestLog } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { RequestMetrics, type RouteName } from '../request-metrics.ts'
import { ApiError } from './api-error.ts'

/** Called every second by machines, or logged call by call elsewhere; in the log they would hide the rest. */
const QUIET_ROUTES = new Set([
  '/metrics',
  '/ready',
  '/live',
  '/internal/health',
  '/internal/checkin-batch',
  '/internal/known',
  '/internal/profile-batch',
  '/internal/sessions/changed',
  '/internal/sessions/find',
  '/internal/sync-batch',
  '/internal/device-batch',
])

export type Answered = AnsweredTogether & AnsweredOne
type AnsweredOne = { requestId: string; status: number }
type AnsweredTogether = { route: string; method: string; tookMs: number }
export type Accounts = ReturnType<typeof requestAccounts>

/** What a service reports of its requests: the log line and the metrics of each, and its errors. */
export function requestAccounts({ log, metrics: registry }: { log: Log; metrics: Metrics }) {
  const answered = requestLog(log)
  const answeredTogether = batchLog(log)
  const metrics = new RequestMetrics(registry)
  return {
    /** A request was answered. */
    note: ({ requestId, route, method, status, tookMs }: Answered): void => {
      metrics.count({ method, route, status, tookMs })
      answered(levelOf(route, status), { requestId, route, method, status, ms: tenthsOf(tookMs) })
    },
    /** Requests of one route were answered together. */
    noteAll: ({ route, method, tookMs }: AnsweredTogether, each: readonly AnsweredOne[]): void => {
      const shared = { route, method, ms: tenthsOf(tookMs) }
      for (const [status, those] of byStatus(each)) {
        metrics.count({ method, route, status, tookMs, requests: those.length })
        answeredTogether(levelOf(route, status), shared, those)
      }
    },
    /** The error that a client gets for an exception; a bug and a lost store are logged. `code` is Elysia's. */
    apiErrorOf: (
      error: unknown,
      { requestId, route, code }: { requestId: string; route: string; code?: unknown },
    ) => {
      const apiError = apiErrorOf(code, error)
      if (apiError.code === 'bug')
        log.error({ event: 'request.failed', err: error, requestId, route }, 'Bug: a request failed')
      else if (apiError.code === 'unavailable')
        log.warn(
          { event: 'request.store_unavailable', requestId, route, reason: reasonOf(apiError.cause) },
          'A store is unavailable',
        )
      return apiError
    },
    /** Prometheus text of the registry, with the routes that were never called. */
    text: (routes: Iterable<RouteName>) => {
      metrics.expect(routes)
      return metrics.text()
    },
  }
}

const levelOf = (route: string, status: number) =>
  status >= 500 ? 'warn' : QUIET_ROUTES.has(route) ? 'debug' : 'info'

const tenthsOf = (ms: number): number => Math.round(ms * 10) / 10

/** Nearly always all have the same. */
function byStatus(each: readonly AnsweredOne[]): Iterable<readonly [number, readonly AnsweredOne[]]> {
  const [first] = each
  if (!first) return []
  return each.every(({ status }) => status === first.status)
    ? [[first.status, each]]
    : Map.groupBy(each, ({ status }) => status)
}

function apiErrorOf(code: unknown, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Error && error.cause instanceof ApiError) return error.cause
  if (code === 'NOT_FOUND') return new ApiError('notFound', 'There is nothing at this path.')
  if (code === 'PARSE' || code === 'VALIDATION' || code === 'INVALID_COOKIE_SIGNATURE')
    return new ApiError('invalid', 'The request does not have the expected form.')
  return new ApiError('bug', 'Something went wrong on our side. It has been logged; please try again.')
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : 'no answer')
