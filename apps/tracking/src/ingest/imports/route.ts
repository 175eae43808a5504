import { ImportedPoints } from '@palanquin/domain/recording-import'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { arrivedAtOf } from '@palanquin/service/http/headers'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { acceptImports } from './accept.ts'

/** Points of a file that somebody imported, as media has read it. */
export const importRoutes = (accept: ReturnType<typeof acceptImports>) =>
  new Elysia({ name: 'imports' }).post(
    '/internal/imported-points',
    async ({ body: points, request }) => {
      const counts = await accept(points, arrivedAtOf(request.headers))
      return counts instanceof ApiError ? counts : ok(counts)
    },
    { body: body(ImportedPoints), detail: { hide: true } },
  )
