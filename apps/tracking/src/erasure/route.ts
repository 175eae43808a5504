import { UserId } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { eraseParticipants } from './erase.ts'

/** `POST /internal/erase`: this service's part of an erasure. */
export const erasureRoutes = (erase: ReturnType<typeof eraseParticipants>) =>
  new Elysia({ name: 'erasure' }).post(
    '/internal/erase',
    async ({ body: { userId } }) => ok(await erase(userId)),
    { body: body(Type.Object({ userId: UserId })), detail: { hide: true } },
  )
