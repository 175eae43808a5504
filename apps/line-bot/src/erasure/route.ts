import { UserId } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'

/** How many of what a module erased. @throws StoreUnavailable: to be called again */
export type EraseModule = (userId: string) => Promise<Record<string, number>>

/** `POST /internal/erase`: this service's part of an erasure. */
export const erasureRoutes = (modules: readonly EraseModule[]) =>
  new Elysia({ name: 'erasure' }).post(
    '/internal/erase',
    async ({ body: { userId } }) => {
      const erased: Record<string, number> = {}
      for (const erase of modules)
        for (const [name, count] of Object.entries(await erase(userId)))
          erased[name] = (erased[name] ?? 0) + count
      return ok({ erased })
    },
    { body: body(Type.Object({ userId: UserId })), detail: { hide: true } },
  )
