import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { permissionsOf, ROLE_LEVEL, Role, RoleBody } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import {
  cursorsOf,
  PAGE_ITEMS_DEFAULT,
  type Page,
  PageOf,
  pageOf,
  pageQuery,
} from '@palanquin/service/http/paging'
import { body, text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type, { type Static } from 'typebox'
import { asOwner, type Participants } from '../participants/change.ts'
import { USER_ID } from '../participants/examples.ts'
import { respond } from '../respond.ts'
import { assignRole } from './assign.ts'
import { administratorOf, roleOf } from './caller.ts'
import type { RoleStore } from './store.ts'

/** An item of `GET /admin/roles`; `givenBy` is the person who gave it, or the role of the token. */
const RoleItem = Type.Object({
  userId: UserId,
  role: Role,
  displayName: Nullable(Type.String(), 'their name; null where none was given'),
  givenBy: Type.String({ description: 'the person who gave it, or the role of the token' }),
  givenAt: Iso,
})
type RoleItem = Static<typeof RoleItem>

const cursors = cursorsOf('roles by userId', UserId)

/** Sorts before every userId. */
const START = ''

/** A page of roles by userId; an ApiError for a foreign cursor. */
async function listRoles(
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

const RoleAnswer = Type.Object({
  role: Role,
  level: Type.Integer({ minimum: 1, maximum: 3, description: 'its tier' }),
  permissions: Type.Array(Type.String(), { description: 'what the token may do' }),
})
const AssignedRole = Type.Object({
  userId: UserId,
  role: Nullable(Role, 'the role as it stands; null for none'),
})

const tags = ['administration']
const VOLUNTEER = { role: 'volunteer', level: 1, permissions: permissionsOf('volunteer') }
const GIVEN = {
  userId: USER_ID,
  role: 'volunteer',
  displayName: '林媽媽',
  givenBy: 'manager',
  givenAt: '2026-05-01T15:00:00.000Z',
}

/** Permissions of a token, and roles in the chat platform. Contract section 5. */
export const roleRoutes = ({
  store,
  ...participants
}: Pick<Participants, 'ownerOf' | 'receiptOf'> & { store: RoleStore }) =>
  new Elysia({ name: 'roles' })
    .get(
      '/auth/role',
      ({ request }) => {
        const role = roleOf(request.headers, 'volunteer')
        if (role instanceof ApiError) return role
        return ok({ role, level: ROLE_LEVEL[role], permissions: permissionsOf(role) })
      },
      {
        detail: describe({
          summary: "The role of the caller's token, and what it may do",
          tags,
          answers: { 200: { description: 'the role', data: RoleAnswer, example: VOLUNTEER } },
          apiErrors: ['unauthorized'],
        }),
      },
    )
    .get(
      '/admin/roles',
      async ({ request, query: { limit = PAGE_ITEMS_DEFAULT, cursor } }) => {
        const role = roleOf(request.headers, 'manager')
        return role instanceof ApiError ? role : respond(await listRoles(store, { limit, cursor }))
      },
      {
        query: text(Type.Object(pageQuery)),
        detail: describe({
          summary: 'Who has which role, by userId',
          tags,
          answers: {
            200: {
              description: 'a page of roles',
              data: PageOf(RoleItem),
              example: { items: [GIVEN], nextCursor: null, total: 1 },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
    .post(
      '/admin/roles',
      async ({ request, body }) => {
        const by = administratorOf(request.headers, 'manager')
        if (by instanceof ApiError) return by
        return respond(await assignRole(store, { ...(await asOwner(participants, { body, request })), by }))
      },
      {
        body: body(RoleBody),
        detail: describe({
          summary: 'Give somebody a role, or take it',
          description:
            'A manager gives and takes the role of volunteer, an owner any. Null takes the role. Repeating it is fine. Tokens are separate: taking the last owner’s role locks no one out.',
          tags,
          example: { userId: USER_ID, role: 'volunteer' },
          answers: {
            200: {
              description: 'the role as it stands',
              data: AssignedRole,
              example: { userId: USER_ID, role: 'volunteer' },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
