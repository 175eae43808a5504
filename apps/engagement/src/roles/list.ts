import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { Role } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type, { type Static } from 'typebox'
import type { RoleStore } from './store.ts'

/** An item of `GET /admin/roles`; `givenBy` is the person who gave it, or the role of the token. */
export const RoleItem = Type.Object({
  userId: UserId,
  role: Role,
  displayName: Nullable(Type.String(), 'their name; null where none was given'),
  givenBy: Type.String({ description: 'the person who gave it, or the role of the token' }),
  givenAt: Iso,
})
export type RoleItem = Static<typeof RoleItem>

const cursors = cursorsOf('roles by userId', UserId)

/** Sorts before every userId. */
const START = ''

/** A page of roles by userId; an ApiError for a foreign cursor. */
export async function listRoles(
  store: RoleStore,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<RoleItem> | ApiError> {
  const after = cursors.decode(cursor)
  if (after instanceof ApiError) return after
  const [rows, total] = await Promise.all([store.page(after ?? START, limit + 1), store.total()])
  return pageOf(rows, {
    limit,
    total,
    item: ({ givenAt, ...row }) => ({ ...row, givenAt: toIso(givenAt.getTime()) }),
    cursor: ({ userId }) => cursors.encode(userId),
  })
}
