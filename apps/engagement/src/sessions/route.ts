import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { NewSession, Recovery, SecretHash, SessionEnd } from '@palanquin/domain/session'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { receivedAtOf } from '@palanquin/service/http/headers'
import { body } from '@palanquin/service/http/standard-schema'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { SessionStore } from './store.ts'

/** Every gateway asks more often than that; they share one read. */
const CHANGES_TTL_MS = 200
const HASHES_MAX = 500

const hide = { detail: { hide: true } }
const usedOrUnknown = new ApiError('notFound', 'No participant has this recovery code.')

type SessionRoutesOptions = { store: SessionStore; receiptOf: ReceiptOf; publishOutbox: () => Promise<void> }

/** Sessions, for the gateway alone, which authenticates people. */
export function sessionRoutes({ store, receiptOf, publishOutbox }: SessionRoutesOptions) {
  const changed = memoize(store.changed, { ttlMs: CHANGES_TTL_MS })
  return new Elysia({ name: 'sessions' })
    .post(
      '/internal/sessions',
      async ({ body: session, request: { headers } }) => {
        const { userId } = session
        return ok(await store.start(session, userId && receiptOf(userId, receivedAtOf(headers))))
      },
      { body: body(NewSession), ...hide },
    )
    .post(
      '/internal/sessions/find',
      async ({ body: { hashes } }) => ok({ sessions: await store.find(hashes) }),
      { body: body(Type.Object({ hashes: Type.Array(SecretHash, { maxItems: HASHES_MAX }) })), ...hide },
    )
    .post(
      '/internal/sessions/recover',
      async ({ body: recovery }) => {
        const session = await store.recover(recovery)
        return session ? ok(session) : usedOrUnknown
      },
      { body: body(Recovery), ...hide },
    )
    .post(
      '/internal/sessions/end',
      async ({ body: end }) => {
        const ended = await store.end(end)
        // Tracking forgets the write tokens before the response.
        if (end.nextCodeHash !== null) await publishOutbox()
        return ok(ended)
      },
      { body: body(SessionEnd), ...hide },
    )
    .post(
      '/internal/sessions/own',
      async ({ body: { userId, current } }) => ok(await store.own(userId, current)),
      { body: body(Type.Object({ userId: UserId, current: Nullable(SecretHash) })), ...hide },
    )
    .post(
      '/internal/sessions/end-own',
      async ({ body: { userId, id } }) => ok({ ended: await store.endOwn(userId, id) }),
      { body: body(Type.Object({ userId: UserId, id: Type.String({ maxLength: 64 }) })), ...hide },
    )
    .get('/internal/sessions/changed', async () => ok({ hashes: await changed() }), hide)
}
