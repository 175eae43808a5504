import { UserId } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'

/**
 * `POST /internal/erase`: this service's part of an erasure. It holds nothing of anybody yet, and says so; a room that
 * keeps something of participants adds what it erased to the counts.
 */
export const erasureRoutes = () =>
  new Elysia({ name: 'erasure' }).post('/internal/erase', () => ok({ erased: {} }), {
    body: body(Type.Object({ userId: UserId })),
    detail: { hide: true },
  })
