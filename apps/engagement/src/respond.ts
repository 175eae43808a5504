import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'

/** An outcome as a handler returns it: an error as it is, all else in the envelope. */
export const respond = <T extends object>(outcome: T | ApiError) =>
  outcome instanceof ApiError ? outcome : ok(outcome)
