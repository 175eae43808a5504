import { ApiError } from '@palanquin/service/http/api-error'
import { csvResponse } from '@palanquin/service/http/csv'
import { describe } from '@palanquin/service/http/openapi'
import type { PaginatedExport } from '@palanquin/service/http/paginated-export'
import { PAGE_ITEMS_DEFAULT, PageOf, pageQuery } from '@palanquin/service/http/paging'
import { text } from '@palanquin/service/http/standard-schema'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { RecordStores } from '../../participants/record.ts'
import { respond } from '../../respond.ts'
import { roleOf } from '../../roles/caller.ts'
import { SURVEY_ITEM, SurveyItem, surveyColumns } from './item.ts'
import { allSurveys, listSurveys } from './list.ts'

const SurveysQuery = Type.Object({
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'json (default) or csv' })),
  ...pageQuery,
})

/** All survey responses, for organisers. Contract section 5. */
export const surveyListRoutes = ({
  stores,
  exports,
  timeZone,
  log,
}: {
  stores: RecordStores
  exports: PaginatedExport
  timeZone: string
  log: Log
}) =>
  new Elysia({ name: 'survey list' }).get(
    '/admin/surveys',
    async ({ request, query: { format, limit = PAGE_ITEMS_DEFAULT, cursor } }) => {
      const role = roleOf(request.headers, 'manager')
      if (role instanceof ApiError) return role
      if (format === 'csv')
        return csvResponse({
          fileName: 'surveys',
          columns: surveyColumns(timeZone),
          pages: allSurveys(stores),
          signal: request.signal,
          turns: exports,
          log,
        })
      const page = await listSurveys(stores, { limit, cursor })
      return respond(page)
    },
    {
      query: text(SurveysQuery),
      detail: describe({
        summary: 'All survey responses',
        description:
          'The current answers of all participants, in the order of their first submission. `format=csv` returns all of them as a table with a column for each question as stored and one in the words that people saw, times in the time zone of the event, whatever the limit; cells that a spreadsheet would calculate begin with an apostrophe. Under load the file comes slowly, and too many at once are 503.',
        tags: ['administration'],
        answers: {
          200: {
            description: 'a page of responses, or all of them as a table',
            data: PageOf(SurveyItem),
            example: { items: [SURVEY_ITEM], nextCursor: null, total: 1 },
            media: { 'text/csv': Type.String({ description: 'a table with a header, UTF-8, CRLF' }) },
            headers: ['Content-Disposition'],
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
      }),
    },
  )
