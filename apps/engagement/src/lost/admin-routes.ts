import { AdminLostBody, LostKind, type LostNotification, LostPatch, LostStatus } from '@palanquin/domain/lost'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { callerOf, receivedAtOf } from '@palanquin/service/http/headers'
import { PAGE_ITEMS_DEFAULT, pageQuery } from '@palanquin/service/http/paging'
import { body, text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { respond } from '../respond.ts'
import { administratorOf } from '../roles/caller.ts'
import type { ReadPosition } from '../shares/position.ts'
import { changeCase, deleteCase, listCases } from './admin.ts'
import { ADD_CASE, CHANGE_CASE, DELETE_CASE, LIST_CASES } from './describe.ts'
import { enter, isCaseId, noSuchCase } from './report.ts'
import type { LostCase, LostStore } from './store.ts'
import { placeOf, staffView } from './view.ts'

type Options = { store: LostStore; receiptOf: ReceiptOf; publishOutbox: () => Promise<void> }

const ListQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(LostStatus),
  kind: Type.Optional(LostKind),
})

/** What organisers do with the cases: reading from tier 1, writing from tier 2. */
export const adminLostRoutes = ({ store, receiptOf, publishOutbox }: Options) => {
  const receipt = (userId: string | null | undefined, { headers }: Request) =>
    userId ? receiptOf(userId, receivedAtOf(headers)) : null
  return new Elysia({ name: 'admin-lost' })
    .get(
      '/admin/lost',
      async ({ request, query: { status = null, kind = null, limit = PAGE_ITEMS_DEFAULT, cursor } }) => {
        const caller = administratorOf(request.headers, 'volunteer')
        if (caller instanceof ApiError) return caller
        return respond(await listCases(store, { status, kind, limit, cursor }, caller))
      },
      { query: text(ListQuery), detail: LIST_CASES },
    )
    .post(
      '/admin/lost',
      async ({ request, body: input, set }) => {
        const caller = administratorOf(request.headers, 'manager')
        if (caller instanceof ApiError) return caller
        const added = await enter(store, input, { by: caller.by, receipt: receipt(input.userId, request) })
        if (added instanceof ApiError) return added
        void publishOutbox()
        set.status = 201
        return ok(staffView(added, caller.role))
      },
      { body: body(AdminLostBody), detail: ADD_CASE },
    )
    .patch(
      '/admin/lost/:id',
      async ({ request, params: { id }, body: patch }) => {
        const caller = administratorOf(request.headers, 'manager')
        if (caller instanceof ApiError) return caller
        const changed = await changeCase(
          store,
          { id, patch },
          { by: caller.by, receipt: receipt(patch.userId, request) },
        )
        if (changed instanceof ApiError) return changed
        void publishOutbox()
        return ok(staffView(changed, caller.role))
      },
      { body: body(LostPatch), detail: CHANGE_CASE },
    )
    .delete(
      '/admin/lost/:id',
      async ({ request, params: { id } }) => {
        const caller = administratorOf(request.headers, 'manager')
        return respond(caller instanceof ApiError ? caller : await deleteCase(store, id, caller.by))
      },
      { detail: DELETE_CASE },
    )
}

type NotificationOptions = { store: LostStore; readPosition: ReadPosition }

/** What volunteers learn of a case, and where it is, for the bot. 404 once it is closed or deleted. */
export const lostNotificationRoute = ({ store, readPosition }: NotificationOptions) => {
  const placesOf = async (found: LostCase, requestId: string) => {
    const position = found.userId === null ? null : await readPosition(found.userId, requestId)
    const last = position && { lat: position.lat, lng: position.lng }
    return [placeOf(found), last].filter((place) => place !== null)
  }
  return new Elysia({ name: 'lost-notification' }).get(
    '/internal/lost/:id',
    async ({ request, params: { id } }) => {
      const found = isCaseId(id) ? await store.read(id) : null
      if (!found || found.status === 'closed') return noSuchCase
      const { kind, about } = found
      const places = await placesOf(found, callerOf(request.headers).requestId)
      return ok({ kind, about, places } satisfies LostNotification)
    },
    { detail: { hide: true } },
  )
}
