import { type Log, requestLog } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { RequestMetrics, type RouteName } from '../request-metrics.ts'
import { ApiError } from './api-error.ts'

/** Called every second by machines, or logged call by call elsewhere; in the log they would hide the rest. */
const QUIET_ROUTES = new Set([
  '/metrics',
  '/ready',
  '/live',
  '/internal/health',
  '/internal/checkins',
  '/internal/known',
  '/internal/profiles',
  '/internal/sessions/changed',
  '/internal/sessions/find',
  '/internal/syncs',
  '/internal/device-deliveries',
])

export type Answered = { requestId: string; route: string; method: string; status: number; tookMs: number }
export type Accounts = ReturnType<typeof requestAccounts>

/** What a service reports of its requests: the log line and the metrics of each, and its errors. */
export function requestAccounts({ log, metrics: registry }: { log: Log; metrics: Metrics }) {
  const answered = requestLog(log)
  const metrics = new RequestMetrics(registry)
  return {
    /** A request was answered. */
    note: ({ tookMs, ...of }: Answered): void => {
      const { requestId, route, method, status } = of
      metrics.count({ method, route, status, tookMs })
      const line = { requestId, route, method, status, ms: Math.round(tookMs * 10) / 10 }
      answered(status >= 500 ? 'warn' : QUIET_ROUTES.has(route) ? 'debug' : 'info', line)
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

function apiErrorOf(code: unknown, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Error && error.cause instanceof ApiError) return error.cause
  if (code === 'NOT_FOUND') return new ApiError('notFound', 'There is nothing at this path.')
  if (code === 'PARSE' || code === 'VALIDATION' || code === 'INVALID_COOKIE_SIGNATURE')
    return new ApiError('invalid', 'The request does not have the expected form.')
  return new ApiError('bug', 'Something went wrong on our side. It has been logged; please try again.')
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : 'no answer')
