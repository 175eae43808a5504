import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { Role } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type, { type Static } from 'typebox'
import type { RoleStore } from './store.ts'

/** A role as `GET /admin/roles` tells it. `givenBy` is the role of the token that gave it. */
export const RoleItem = Type.Object({
  userId: UserId,
  role: Role,
  displayName: Nullable(Type.String(), 'their name; null where none was given'),
  givenBy: Type.String({ description: 'the role of the token that gave it' }),
  givenAt: Iso,
})
export type RoleItem = Static<typeof RoleItem>

const cursors = cursorsOf('roles by userId', UserId)

/** Before every userId. */
const START = ''

/** A page of the roles by userId; a Refusal for a cursor that is not of this list. */
export async function listRoles(
  store: RoleStore,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<RoleItem> | ApiError> {
  const after = cursors.decode(cursor)
  if (after instanceof ApiError) return after
  const { rows, total } = await store.list({ after: after ?? START, limit })
  return pageOf(rows, {
    limit,
    total,
    item: ({ givenAt, ...row }) => ({ ...row, givenAt: toIso(givenAt.getTime()) }),
    cursor: ({ userId }) => cursors.encode(userId),
  })
}
