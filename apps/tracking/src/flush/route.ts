import { ok } from '@palanquin/service/http/app'
import { Elysia } from 'elysia'

/** `POST /internal/flush`: everything that was answered is in PostgreSQL, and counted, when this answers. */
export const flushRoutes = (flushEverything: () => Promise<{ flushed: number; lastFlush: string }>) =>
  new Elysia({ name: 'flush' }).post(
    '/internal/flush',
    async () => {
      const { flushed, lastFlush } = await flushEverything()
      return ok({ flushed, lastFlush })
    },
    { detail: { hide: true } },
  )
