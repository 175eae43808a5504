import { ROLE_LEVEL } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import { actorOf, callerOf } from '@palanquin/service/http/headers'

const tooLow = new ApiError('forbidden', 'This needs the token of a manager or an owner.')

/** The caller as the audit names them, if a manager or above. */
export function managerOf(headers: Headers): { by: string } | ApiError {
  const { tier } = callerOf(headers)
  if (tier < ROLE_LEVEL.manager) return tooLow
  return { by: actorOf(headers, tier === ROLE_LEVEL.owner ? 'owner' : 'manager') }
}
