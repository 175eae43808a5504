import { mayAssign, ROLE_LEVEL, type Role } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Sender } from '../participants/store.ts'
import type { Administrator } from './caller.ts'
import type { RoleStore } from './store.ts'

/** Each lost attempt is another administrator's change. */
const TRIES_MAX = 5

type RoleAssignment = { userId: string; role: Role | null }

/** Gives a role in place of the present one, or takes it (null). 503 once they are erased. */
export async function assignRole(
  store: RoleStore,
  { role, by: { role: own, by }, ...sender }: RoleAssignment & Sender & { by: Administrator },
): Promise<RoleAssignment | ApiError> {
  const { userId } = sender
  const tier = ROLE_LEVEL[own]
  if (!mayAssign(tier, role, null)) return mayNotGive(own, role)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const changed =
      role === null ? await store.take(sender, { by, tier }) : await store.give(sender, { role, by, tier })
    if (changed) return { userId, role }
    const present = await store.read(userId)
    if (!mayAssign(tier, role, present)) return mayNotReplace(own, present)
    if (present === role) return { userId, role }
  }
  return new ApiError(
    'unavailable',
    'Somebody else is changing this person or their role right now; please try again shortly.',
  )
}

const mayNotGive = (by: Role, role: Role | null) =>
  new ApiError(
    'forbidden',
    `A ${by} may give and take only roles below its own, not that of ${article(role)}.`,
  )

const mayNotReplace = (by: Role, present: Role | null) =>
  new ApiError(
    'forbidden',
    `This person is ${article(present)}: a ${by} may give and take only roles below its own.`,
  )

const article = (role: Role | null) => (role === 'owner' ? 'an owner' : `a ${role ?? 'participant'}`)
