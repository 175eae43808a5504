import { ApiError } from '@palanquin/service/http/api-error'
import { type LimitHeaders, NO_LIMIT_HEADERS } from '../response.ts'
import { FEW } from './counts.ts'
import type { Refusal, Verdict } from './limiter.ts'

/** Figures of small limits: what each participant has, over and over. Those of an address hardly come twice. */
const keptHeaders = new Map<string, LimitHeaders>()
const KEPT_MAX = 4_096

export function headersOf(verdict: Verdict | undefined): LimitHeaders {
  if (!verdict) return NO_LIMIT_HEADERS
  const { limit, remaining, resetS } = verdict
  const figures = limit <= FEW ? `${limit} ${remaining} ${resetS}` : undefined
  const kept = figures === undefined ? undefined : keptHeaders.get(figures)
  if (kept) return kept
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  }
  if (figures === undefined) return headers
  if (keptHeaders.size >= KEPT_MAX) keptHeaders.clear()
  keptHeaders.set(figures, Object.freeze(headers))
  return headers
}

/** The 429 of a rule that has no place left. */
export function errorOf({ rule: { apiError = 'Too many requests.', silent }, verdict }: Refusal): ApiError {
  const { resetS } = verdict
  const headers = silent ? NO_LIMIT_HEADERS : headersOf({ ...verdict, remaining: 0 })
  return new ApiError('tooMany', `${apiError} Please try again in ${resetS} seconds.`, {
    ...headers,
    'retry-after': String(resetS),
  })
}
