import { LostBody, LostCloseBody } from '@palanquin/domain/lost'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import { EDIT_TOKEN_HEADER } from '../edit-token.ts'
import { CLOSE_CASE, OWN_CASE, REPORT_CASE } from './describe.ts'
import type { LostMetrics } from './metrics.ts'
import type { CountRecipients } from './recipients.ts'
import { closeOwn, ownCase, report } from './report.ts'
import type { LostCase, LostStore } from './store.ts'
import { ownView } from './view.ts'

type Options = {
  store: LostStore
  tags: CredentialTags
  publishOutbox: () => Promise<void>
  countRecipients: CountRecipients
  metrics: LostMetrics
}

const respondToReporter = (outcome: LostCase | ApiError) =>
  outcome instanceof ApiError ? outcome : ok(ownView(outcome))

/** Reports of anybody, and what their reporter sees of them by the edit token. Web face, section 4. */
export const lostRoutes = ({ store, tags, publishOutbox, countRecipients, metrics }: Options) =>
  new Elysia({ name: 'lost' })
    .post(
      '/lost',
      async ({ body: input, set }) => {
        const reported = await report({ store, tags }, input)
        if (reported instanceof ApiError) return reported
        metrics.reports.inc({ kind: input.kind })
        void publishOutbox()
        set.status = 201
        return ok({ ...reported, notified: await countRecipients(input.place ?? null) })
      },
      { body: body(LostBody), detail: REPORT_CASE },
    )
    .get(
      '/lost/:id',
      async ({ request, params: { id } }) =>
        respondToReporter(await ownCase(store, id, request.headers.get(EDIT_TOKEN_HEADER))),
      { detail: OWN_CASE },
    )
    .patch(
      '/lost/:id',
      async ({ request, params: { id } }) =>
        respondToReporter(await closeOwn(store, id, request.headers.get(EDIT_TOKEN_HEADER))),
      { body: body(LostCloseBody), detail: CLOSE_CASE },
    )
