import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { perSecond, requestLog } from '../request-log.ts'
import { RequestMetrics, type RouteName } from '../request-metrics.ts'
import { ApiError } from './api-error.ts'

/** Each failed call of a store is one; as many say what is away. */
const STORE_LINES_PER_S = 10

export type Answered = AnsweredTogether & AnsweredOne
type AnsweredOne = { requestId: string; status: number }
type AnsweredTogether = { route: string; method: string; tookMs: number }
export type Accounts = ReturnType<typeof requestAccounts>

export function requestAccounts({ log, metrics: registry }: { log: Log; metrics: Metrics }) {
  const logRequest = requestLog(log)
  const mayWarn = perSecond(STORE_LINES_PER_S)
  const metrics = new RequestMetrics(registry)
  return {
    note: ({ requestId, route, method, status, tookMs }: Answered): void => {
      metrics.count({ method, route, status, tookMs })
      logRequest({ requestId, route, method, status, ms: tenthsOf(tookMs) })
    },
    noteAll: ({ route, method, tookMs }: AnsweredTogether, each: readonly AnsweredOne[]): void => {
      const ms = tenthsOf(tookMs)
      for (const [status, those] of byStatus(each)) {
        metrics.count({ method, route, status, tookMs, requests: those.length })
        for (const { requestId } of those) logRequest({ requestId, route, method, status, ms })
      }
    },
    /** The error that a client gets for an exception; bugs and lost stores are logged. */
    apiErrorOf: (
      error: unknown,
      { requestId, route, code }: { requestId: string; route: string; code?: unknown },
    ) => {
      const apiError = apiErrorOf(code, error)
      if (apiError.code === 'bug')
        log.error({ event: 'request.failed', err: error, requestId, route }, 'Bug: a request failed')
      else if (apiError.code === 'unavailable' && mayWarn())
        log.warn(
          { event: 'request.store_unavailable', requestId, route, reason: reasonOf(apiError.cause) },
          'A store is unavailable',
        )
      return apiError
    },
    text: (routes: Iterable<RouteName>) => {
      metrics.expect(routes)
      return metrics.text()
    },
  }
}

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
