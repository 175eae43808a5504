import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { flushEverything } from './everything.ts'

export const FLUSH_PATH = '/internal/flush'

const FlushRequest = Type.Object({
  /** Leave room for what is accepted meanwhile, as the scheduled flush does: for callers that can wait. */
  gently: Type.Optional(Type.Boolean()),
})

/** `POST /internal/flush`: everything that was answered is in PostgreSQL, and counted, when this answers. */
export const flushRoutes = (flushEverything: FlushEverything) =>
  new Elysia({ name: 'flush' }).post(
    FLUSH_PATH,
    async ({ body: { gently } }) => {
      const { flushed, lastFlush } = await flushEverything({ gently: gently === true })
      return ok({ flushed, lastFlush })
    },
    { body: body(FlushRequest), detail: { hide: true } },
  )

type FlushEverything = ReturnType<typeof flushEverything>
