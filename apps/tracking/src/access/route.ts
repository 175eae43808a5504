import { UserId } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { Participants } from './participants.ts'

/** `POST /internal/participants/refresh`: reads a participant from PostgreSQL; later requests go by what it says. */
export const participantsRoutes = ({ refresh }: Pick<Participants, 'refresh'>) =>
  new Elysia({ name: 'participants view' }).post(
    '/internal/participants/refresh',
    async ({ body: { userId } }) => {
      await refresh(userId)
      return ok({})
    },
    { body: body(Type.Object({ userId: UserId })), detail: { hide: true } },
  )
