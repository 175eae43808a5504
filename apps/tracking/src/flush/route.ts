import { ok } from '@palanquin/service/http/app'
import { Elysia } from 'elysia'

export const FLUSH_PATH = '/internal/flush'

/** `POST /internal/flush`: everything that was answered is in PostgreSQL, and counted, when this answers. */
export const flushRoutes = (flushEverything: () => Promise<{ flushed: number; lastFlush: string }>) =>
  new Elysia({ name: 'flush' }).post(
    FLUSH_PATH,
    async () => {
      const { flushed, lastFlush } = await flushEverything()
      return ok({ flushed, lastFlush })
    },
    { detail: { hide: true } },
  )
