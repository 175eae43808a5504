import { ParticipantStatus } from '@palanquin/domain/participant'
import { LEVELS } from '@palanquin/domain/rank'
import { hasForbiddenControl } from '@palanquin/domain/text'
import { ApiError } from '@palanquin/service/http/api-error'
import { csvResponse } from '@palanquin/service/http/csv'
import { describe } from '@palanquin/service/http/openapi'
import type { PaginatedExport } from '@palanquin/service/http/paginated-export'
import { PAGE_ITEMS_DEFAULT, PageOf, pageQuery } from '@palanquin/service/http/paging'
import { text } from '@palanquin/service/http/standard-schema'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type, { type Static } from 'typebox'
import { respond } from '../../respond.ts'
import { roleOf } from '../../roles/caller.ts'
import { PARTICIPANT, PARTICIPANT_COLUMNS, ParticipantItem } from './item.ts'
import { allParticipants, type ListStores, listParticipants, type Wanted } from './list.ts'
import { orderOf, SORT_WORDS } from './order.ts'

const SEARCH_CHARACTERS_MAX = 100

const ParticipantsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: SEARCH_CHARACTERS_MAX,
      description: `a text of at most ${SEARCH_CHARACTERS_MAX} characters: a user id or its beginning, a part of the display name in any script and case, or at least three digits of the phone number`,
    }),
  ),
  status: Type.Optional(ParticipantStatus),
  level: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LEVELS.length,
      description: `a level from 1 to ${LEVELS.length}, or 0 for those who have none yet`,
    }),
  ),
  sort: Type.Optional(
    Type.Enum(SORT_WORDS, {
      description: `one of ${SORT_WORDS.join(', ')} (- for the other end first; createdAt if left out)`,
    }),
  ),
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'json (default) or csv' })),
  ...pageQuery,
})

/** The organisers' list of participants. Contract section 5. */
export const participantListRoutes = ({
  stores,
  exports,
  log,
}: {
  stores: ListStores
  exports: PaginatedExport
  log: Log
}) =>
  new Elysia({ name: 'participant list' }).get(
    '/admin/users',
    async ({ request, query }) => {
      const role = roleOf(request.headers, 'manager')
      if (role instanceof ApiError) return role
      const wanted = wantedBy(query)
      if (wanted instanceof ApiError) return wanted
      if (query.format === 'csv')
        return csvResponse({
          fileName: 'participants',
          columns: PARTICIPANT_COLUMNS,
          pages: allParticipants(stores, wanted),
          signal: request.signal,
          turns: exports,
          log,
        })
      const { limit = PAGE_ITEMS_DEFAULT, cursor } = query
      const page = await listParticipants(stores, { ...wanted, limit, cursor })
      return respond(page)
    },
    {
      query: text(ParticipantsQuery),
      detail: describe({
        summary: 'All participants with their statistics and whole phone numbers',
        description:
          'The numbers are those of `GET /user/{userId}`, buffered check-ins included. Order and level filter use what the last flush stored; participants whose first points came since then are listed as well. `format=csv` returns all matches, whatever the limit; under load the file comes slowly, and too many at once are 503.',
        tags: ['administration'],
        answers: {
          200: {
            description: 'a page of participants, or all of them as a table',
            data: PageOf(ParticipantItem),
            example: { items: [PARTICIPANT], nextCursor: null, total: 1 },
            media: { 'text/csv': Type.String({ description: 'a table with a header, UTF-8, CRLF' }) },
            headers: ['Content-Disposition'],
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
      }),
    },
  )

function wantedBy({ q = '', status, level, sort }: Static<typeof ParticipantsQuery>): Wanted | ApiError {
  const searched = q.trim()
  if (hasForbiddenControl(searched))
    return new ApiError('invalid', 'q: expected a text without control characters')
  const order = orderOf(sort ?? 'createdAt')
  if (!order) return new ApiError('invalid', `sort: expected one of ${SORT_WORDS.join(', ')}`)
  return {
    filter: { q: searched === '' ? undefined : searched, status, level },
    order: order.name,
    isDescending: order.isDescending,
  }
}
