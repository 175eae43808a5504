import { ROLE_LEVEL, ROLES, type Role } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'

/** The caller's role by the gateway, if at least `least`; a second line of defence behind the gateway's table. */
export function roleOf(headers: Headers, least: Role): Role | ApiError {
  const { tier } = callerOf(headers)
  const role = ROLES.find((one) => ROLE_LEVEL[one] === tier)
  if (!role) return new ApiError('unauthorized', 'This needs an administration token in X-Admin-Token.')
  if (tier < ROLE_LEVEL[least])
    return new ApiError('forbidden', `This needs the token of a ${least} or above.`)
  return role
}
