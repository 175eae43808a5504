import { UserId } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'

/** Erases a participant from one module; returns counts by kind. @throws StoreUnavailable */
type Erase = (userId: string) => Promise<Record<string, number>>

/** Called by engagement when it erases a participant, before it erases their feedback. */
export const erasureRoute = (modules: readonly Erase[]) =>
  new Elysia({ name: 'erasure' }).post(
    '/internal/erase',
    async ({ body: { userId } }) => {
      const erased: Record<string, number> = {}
      for (const erase of modules) Object.assign(erased, await erase(userId))
      return ok({ erased })
    },
    { body: body(Type.Object({ userId: UserId })), detail: { hide: true } },
  )
