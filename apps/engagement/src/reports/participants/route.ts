import { ApiError } from '@palanquin/service/http/api-error'
import { csvResponse } from '@palanquin/service/http/csv'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import type { PaginatedExport } from '@palanquin/service/http/paginated-export'
import { PAGE_ITEMS_DEFAULT, PageOf } from '@palanquin/service/http/paging'
import { text } from '@palanquin/service/http/standard-schema'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { respond } from '../../respond.ts'
import { roleOf } from '../../roles/caller.ts'
import { participantColumns } from './columns.ts'
import { PARTICIPANT, ParticipantItem } from './item.ts'
import { allParticipants, type ListStores, listParticipants } from './list.ts'
import { ParticipantsQuery, wantedBy } from './query.ts'

/** The organisers' list of participants. Contract section 5. */
export const participantListRoutes = ({
  stores,
  exports,
  timeZone,
  log,
}: {
  stores: ListStores
  exports: PaginatedExport
  timeZone: string
  log: Log
}) =>
  new Elysia({ name: 'participant list' }).get(
    '/admin/users',
    async ({ request, query }) => {
      const role = roleOf(request.headers, 'manager')
      if (role instanceof ApiError) return role
      const wanted = await wantedBy(stores, query, callerOf(request.headers).requestId)
      if (wanted instanceof ApiError) return wanted
      if (query.format === 'csv')
        return csvResponse({
          fileName: 'participants',
          columns: participantColumns(timeZone),
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
          'The numbers are those of `GET /user/{userId}`, buffered check-ins included. Order and level filter use what the last flush stored; participants whose first points came since then are listed as well. `format=csv` returns all matches, whatever the limit, with times in the time zone of the event and the answers of the survey in the words that people saw; under load the file comes slowly, and too many at once are 503.',
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
