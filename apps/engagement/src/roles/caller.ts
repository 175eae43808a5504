import { ROLE_LEVEL, ROLES, type Role } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'

/**
 * The role that the gateway found for the caller's token, if it is at least `least`. The gateway's table refuses
 * others already; this holds where somebody calls round it, or the table is wrong.
 */
export function roleOf(headers: Headers, least: Role): Role | ApiError {
  const { tier } = callerOf(headers)
  const role = ROLES.find((one) => ROLE_LEVEL[one] === tier)
  if (!role) return new ApiError('unauthorized', 'This needs an administration token in X-Admin-Token.')
  if (tier < ROLE_LEVEL[least])
    return new ApiError('forbidden', `This needs the token of a ${least} or above.`)
  return role
}
