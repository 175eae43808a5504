import { ApiError, type ApiErrorCode } from '@palanquin/service/http/api-error'
import type { Reply } from './attempt.ts'
import type { Outcome } from './service.ts'

/** A service cannot take another call. */
export const overloaded = new ApiError(
  'unavailable',
  'The service is very busy. Please try again in a second.',
  { 'retry-after': '1' },
)

/** A slot is free again when a stream has reached its lifetime, or its page is closed. */
export const tooManyStreams = new ApiError(
  'tooMany',
  'Your address follows the map as often as it may already. Please close one of its pages, or read /data now and then.',
  { 'retry-after': '30' },
)

const FAILURES: Record<Exclude<Outcome, Reply | 'full'>, readonly [ApiErrorCode, string]> = {
  unopened: ['badGateway', 'A part of the service cannot be reached right now. Please try again shortly.'],
  broken: [
    'badGateway',
    'A part of the service broke off. Please check whether it was done before you try again.',
  ],
  late: ['timeout', 'A part of the service did not answer in time. Please try again shortly.'],
}

/** The error of a call without a reply. */
export function apiErrorOf(failure: Exclude<Outcome, Reply>): ApiError {
  if (failure === 'full') return overloaded
  const [code, message] = FAILURES[failure]
  return new ApiError(code, message)
}
