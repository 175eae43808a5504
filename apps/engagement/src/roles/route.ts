import { permissionsOf, ROLE_LEVEL, Role } from '@palanquin/domain/role'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { Refusal } from '@palanquin/service/http/refusal'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { roleOf } from './caller.ts'

const RoleAnswer = Type.Object({
  role: Role,
  level: Type.Integer({ minimum: 1, maximum: 3 }),
  permissions: Type.Array(Type.String()),
})

const VOLUNTEER = { role: 'volunteer', level: 1, permissions: permissionsOf('volunteer') }

/** What a token may do. Contract section 5. */
export const roleRoutes = () =>
  new Elysia({ name: 'roles' }).get(
    '/auth/role',
    ({ request }) => {
      const role = roleOf(request.headers, 'volunteer')
      if (role instanceof Refusal) return role
      return ok({ role, level: ROLE_LEVEL[role], permissions: permissionsOf(role) })
    },
    {
      detail: describe({
        summary: "The role of the caller's token, and what it may do",
        tags: ['administration'],
        answers: { 200: { description: 'the role', data: RoleAnswer, example: VOLUNTEER } },
        refusals: ['unauthorized'],
      }),
    },
  )
