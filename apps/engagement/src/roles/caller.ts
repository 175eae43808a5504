import { ROLE_LEVEL, ROLES, type Role } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import { actorOf, callerOf } from '@palanquin/service/http/headers'

/** The caller's role by the gateway, if at least `least`. */
export function roleOf(headers: Headers, least: Role): Role | ApiError {
  const { tier } = callerOf(headers)
  const role = ROLES.find((one) => ROLE_LEVEL[one] === tier)
  if (!role)
    return new ApiError(
      'unauthorized',
      'This needs an administration token in X-Admin-Token, or the session of somebody with a role.',
    )
  if (tier < ROLE_LEVEL[least])
    return new ApiError('forbidden', `This needs the token of a ${least} or above.`)
  return role
}

/** An administrator: the role that decides what they may do, and `by` as the audit names them. */
export type Administrator = { role: Role; by: string }

/** The caller as an administrator of at least the role `least`. */
export function administratorOf(headers: Headers, least: Role): Administrator | ApiError {
  const role = roleOf(headers, least)
  return role instanceof ApiError ? role : { role, by: actorOf(headers, role) }
}

/** Who acts without being somebody: tokens by their role, participants, and this service itself. */
const NAMELESS: readonly string[] = [...ROLES, 'participant', 'reporter', 'schedule', 'erased']

/** `by` as a role may see it: only those who may list participants see which person acted. */
export const actorFor = (role: Role, by: string): string =>
  ROLE_LEVEL[role] >= ROLE_LEVEL.manager || NAMELESS.includes(by) ? by : 'administrator'
