/** Roles of the staff: tiers, and who may assign which. Specification section 5, contract section 5. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { Nullable } from './optional'

export const ROLES = ['owner', 'manager', 'volunteer'] as const
export const Role = Type.Enum([...ROLES], { description: 'owner, manager or volunteer' })
export type Role = Static<typeof Role>

/** The tier of a role. A route of tier n is open to this level and above. */
export const ROLE_LEVEL = { owner: 3, manager: 2, volunteer: 1 } as const satisfies Record<Role, number>

/** Body of `POST /admin/roles`; null takes the role away. */
export const RoleBody = Type.Object({
  userId: UserId,
  role: Nullable(Role, 'owner, manager, volunteer or null'),
})
export type RoleBody = Static<typeof RoleBody>

/** Whether a caller of a tier may replace a role by another (null: none): a manager those below, an owner any. */
export function mayAssign(callerLevel: number, role: Role | null, currentRole: Role | null): boolean {
  if (callerLevel < ROLE_LEVEL.manager) return false
  if (callerLevel >= ROLE_LEVEL.owner) return true
  return levelOf(role) < callerLevel && levelOf(currentRole) < callerLevel
}

/** The present roles that a caller of a tier may replace by `role`, for the WHERE of the update. */
export function whichMayBeReplaced(callerLevel: number, role: Role | null): Role[] {
  return ROLES.filter((current) => mayAssign(callerLevel, role, current))
}

function levelOf(role: Role | null): number {
  return role === null ? 0 : ROLE_LEVEL[role]
}

/** What each tier adds to the one below. */
const permissions = {
  volunteer: ['status:read', 'timeline:read', 'clusters:read', 'line-usage:read'],
  manager: [
    'surveys:read',
    'carbon:read',
    'users:read',
    'tracks:read',
    'positions:read',
    'roles:read',
    'roles:assign-volunteer',
    'feedback:read',
    'feedback:write',
    'cards:renew',
    'push:send',
    'activity:change',
    'activity:end',
  ],
  owner: ['roles:assign', 'richmenu:deploy', 'participants:erase'],
} as const satisfies Record<Role, readonly string[]>

/** The permissions of a role, with those of the tiers below, as `GET /auth/role` returns them. */
export function permissionsOf(role: Role): string[] {
  return ROLES.filter((other) => ROLE_LEVEL[other] <= ROLE_LEVEL[role])
    .toSorted((a, b) => ROLE_LEVEL[a] - ROLE_LEVEL[b])
    .flatMap((tier) => [...permissions[tier]])
}
