import { UserId } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { participantEraser } from './erase.ts'

const hide = { detail: { hide: true } }

/** `POST /internal/erase`: this service's part of an erasure; `POST /internal/erase/end` once all have done theirs. */
export const erasureRoutes = ({ erase, end }: ReturnType<typeof participantEraser>) =>
  new Elysia({ name: 'erasure' })
    .post('/internal/erase', async ({ body: { userId } }) => ok(await erase(userId)), {
      body: body(Type.Object({ userId: UserId })),
      ...hide,
    })
    .post(
      '/internal/erase/end',
      async ({ body: { userId, closedUntil } }) => ok({ event: await end(userId, closedUntil) }),
      { body: body(Type.Object({ userId: UserId, closedUntil: Type.Integer() })), ...hide },
    )
