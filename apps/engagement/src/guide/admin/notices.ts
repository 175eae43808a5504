import { NOTICES_MAX, Notice, NoticeBody, NoticePatch } from '@palanquin/domain/guide'
import { INSTANT_EXPECTED, parseInstant, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { knownBody } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { NOTICE } from '../examples.ts'
import type { GuideStore } from '../store.ts'
import { noticeView } from '../views.ts'
import { as, Deleted, described, full, respond, UUID } from './acts.ts'

const noSuchNotice = new ApiError('notFound', 'There is no notice with this id.')
const noEnd = new ApiError('invalid', `until: expected ${INSTANT_EXPECTED}`)

/** The end of a notice as ISO text; null where it has none, and an error where it is no time. */
function endOf(until: string | number | null | undefined): string | null | ApiError {
  if (until === undefined || until === null) return null
  const ms = parseInstant(until)
  return ms === null ? noEnd : toIso(ms)
}

const NOTICE_BODY = { level: 'warning', zh: NOTICE.zh, en: NOTICE.en, until: NOTICE.until }

/** What organisers announce, and for how long. */
export const adminNoticeRoutes = ({ store }: { store: GuideStore }) =>
  new Elysia({ name: 'admin-notices' })
    .get(
      '/admin/notices',
      async ({ request }) =>
        respond(await as(request, 'volunteer', async () => (await store.notices()).map(noticeView))),
      { detail: described('All notices, those that are over too', 200, Type.Array(Notice), [NOTICE]) },
    )
    .post(
      '/admin/notices',
      async ({ request, body: input, set }) => {
        const added = await as(request, 'manager', async (by) => addNotice(store, input, by))
        if (added instanceof ApiError) return added
        set.status = 201
        return ok(noticeView(added))
      },
      {
        body: knownBody(NoticeBody),
        detail: described('Announce something', 201, Notice, NOTICE, NOTICE_BODY),
      },
    )
    .patch(
      '/admin/notices/:id',
      async ({ request, params: { id }, body: input }) => {
        const changed = await as(
          request,
          'manager',
          async (by) => (UUID.test(id) && (await changeNotice(store, { id, input }, by))) || noSuchNotice,
        )
        return changed instanceof ApiError ? changed : ok(noticeView(changed))
      },
      {
        body: knownBody(NoticePatch),
        detail: described('Change a notice', 200, Notice, NOTICE, { level: 'info' }),
      },
    )
    .delete(
      '/admin/notices/:id',
      async ({ request, params: { id } }) =>
        respond(
          await as(request, 'manager', async (by) =>
            UUID.test(id) && (await store.deleteNotice(id, by)) ? { id } : noSuchNotice,
          ),
        ),
      { detail: described('Delete a notice', 200, Deleted, { id: NOTICE.id }) },
    )

async function addNotice(store: GuideStore, input: NoticeBody, by: string) {
  const until = endOf(input.until)
  if (until instanceof ApiError) return until
  return (await store.addNotice({ ...input, until }, by)) ?? full('notices', NOTICES_MAX)
}

async function changeNotice(
  store: GuideStore,
  { id, input }: { id: string; input: NoticePatch },
  by: string,
) {
  const { until, ...others } = input
  if (until === undefined) return store.changeNotice(id, others, by)
  const end = endOf(until)
  return end instanceof ApiError ? end : store.changeNotice(id, { ...others, until: end }, by)
}
