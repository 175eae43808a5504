import { INSTANT_EXPECTED, parseInstant, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Range } from './store.ts'

/** PostgreSQL's calendar ends later; no pilgrimage does. */
const YEAR_MAX_MS = Date.UTC(9999, 11, 31)

const EPOCH = /^-?\d{1,16}$/
/** An unencoded `+08:00` in a URL arrives as ` 08:00`. */
const LOST_PLUS = / (?=\d\d(?::?\d\d)?$)/

/** Parses the range of a query; an ApiError names `from` or `to`. Left out: unbounded. */
export function rangeOf({ from, to }: { from?: string; to?: string }): Range | ApiError {
  const [fromMs, toMs] = [instantOf(from), instantOf(to)]
  if (Number.isNaN(fromMs)) return new ApiError('invalid', `from: expected ${INSTANT_EXPECTED}`)
  if (Number.isNaN(toMs)) return new ApiError('invalid', `to: expected ${INSTANT_EXPECTED}`)
  if (fromMs !== null && toMs !== null && fromMs >= toMs)
    return new ApiError('invalid', 'from: expected a time before to')
  return { fromIso: fromMs === null ? null : toIso(fromMs), toIso: toMs === null ? null : toIso(toMs) }
}

/** Epoch milliseconds of an instant in a query; null if absent, NaN if invalid. */
export function instantOf(input: string | undefined): number | null {
  if (input === undefined) return null
  const ms = parseInstant(EPOCH.test(input) ? Number(input) : input.replace(LOST_PLUS, '+'))
  return ms === null || ms < 0 || ms > YEAR_MAX_MS ? Number.NaN : ms
}
