import type { LostNotification } from '@palanquin/domain/lost'
import { ok } from '@palanquin/service/http/app'
import { callerOf } from '@palanquin/service/http/headers'
import { Elysia } from 'elysia'
import type { ReadPosition } from '../shares/position.ts'
import { isCaseId, noSuchCase } from './report.ts'
import type { LostCase, LostStore } from './store.ts'
import { placeOf } from './view.ts'

type Options = { store: LostStore; readPosition: ReadPosition }

/** For the chat bot: what volunteers learn of a case, and where it is. 404 once it is closed or deleted. */
export const lostNotificationRoute = ({ store, readPosition }: Options) => {
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
