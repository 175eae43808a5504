import type { Database } from '@palanquin/db/client'
import { INSTANT_EXPECTED } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { describe } from '@palanquin/service/http/openapi'
import { PAGE_ITEMS_DEFAULT, PageOf, pageQuery } from '@palanquin/service/http/paging'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { rangeOf } from '../reports/timeline/range.ts'
import { respond } from '../respond.ts'
import { roleOf } from '../roles/caller.ts'
import { AuditEntry, listAudit } from './list.ts'

const AuditQuery = Type.Object({
  person: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'a userId or role: what they did, and what was done about them',
      examples: ['U4af4980629c1f0b8d3e5a7c6b9d0e1f2'],
    }),
  ),
  act: Type.Optional(
    Type.String({
      pattern: '^[a-z_]+(\\.[a-z_]+)?$',
      maxLength: 64,
      description: 'an act such as role.given, or all of one kind such as role',
      examples: ['participant.searched'],
    }),
  ),
  from: Type.Optional(Type.String({ maxLength: 64, description: INSTANT_EXPECTED })),
  to: Type.Optional(Type.String({ maxLength: 64, description: `${INSTANT_EXPECTED}, later than from` })),
  ...pageQuery,
})

const EXAMPLE = {
  id: 4711,
  at: '2026-05-01T15:00:00.000Z',
  type: 'participant.searched',
  by: 'volunteer',
  detail: { reason: '家屬在大甲服務台找她', asked: '林媽媽', userIds: ['U4af4980629c1f0b8d3e5a7c6b9d0e1f2'] },
}

/** What administrators did, for the console's log. Web face, section 4. */
export const auditRoutes = ({ db }: { db: Database }) =>
  new Elysia({ name: 'audit' }).get(
    '/admin/audit',
    async ({ request, query: { person, act, from, to, limit = PAGE_ITEMS_DEFAULT, cursor } }) => {
      const role = roleOf(request.headers, 'manager')
      if (role instanceof ApiError) return role
      const range = rangeOf({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) })
      if (range instanceof ApiError) return range
      const filter = { ...range, person: person ?? null, act: act ?? null }
      return respond(await listAudit(db, filter, { limit, cursor }))
    },
    {
      query: text(AuditQuery),
      detail: describe({
        summary: 'What administrators did, the newest first',
        tags: ['administration'],
        answers: {
          200: {
            description: 'a page of the audit',
            data: PageOf(AuditEntry),
            example: { items: [EXAMPLE], nextCursor: null, total: 1 },
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
      }),
    },
  )
