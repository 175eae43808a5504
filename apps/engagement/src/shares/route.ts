import { type OwnShare, ShareBody, ShareToken } from '@palanquin/domain/share'
import { toIso } from '@palanquin/domain/time'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { callerOf, receivedAtOf, USER_HEADER } from '@palanquin/service/http/headers'
import { body, text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { CLOSE_SHARE, OPEN_SHARE, OWN_SHARE, SHARED } from './describe.ts'
import type { ReadPosition } from './position.ts'
import type { ShareReaders } from './readers.ts'
import type { Share, ShareStore } from './store.ts'

const notSignedIn = new ApiError('unauthorized', 'A link is for its own participant alone.')
const unknown = new ApiError('notFound', 'There is no such link.')
const ended = new ApiError('gone', 'This link has ended. Ask for a new one if you need it.')
const ReaderQuery = Type.Object({
  reader: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{8,64}$',
      description:
        'a random name of the page that reads, by which readers are counted; left out, the address counts',
    }),
  ),
})
const Params = Type.Object({ token: ShareToken })

export type ShareOptions = {
  store: ShareStore
  readers: ShareReaders
  receiptOf: ReceiptOf
  readPosition: ReadPosition
  /** The public address of a link. */
  urlOf: (token: string) => string
  now: () => number
}

/** Links for the family: place, age and battery, until they end. Web face, section 4. */
export function shareRoutes({ store, readers, receiptOf, readPosition, urlOf, now }: ShareOptions) {
  const ownOf = async ({ token, createdAt, expiresAt }: Share): Promise<OwnShare> => ({
    token,
    url: urlOf(token),
    readers: await readers.count(token),
    createdAt: toIso(createdAt.getTime()),
    expiresAt: toIso(expiresAt.getTime()),
  })
  return new Elysia({ name: 'shares' })
    .post(
      '/share',
      async ({ body: { hours }, request, set }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        set.status = 201
        const receipt = receiptOf(userId, receivedAtOf(request.headers))
        return ok(await ownOf(await store.open({ userId, receipt }, hours)))
      },
      { body: body(ShareBody), detail: OPEN_SHARE },
    )
    .get(
      '/share',
      async ({ request }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        const share = await store.own(userId)
        return ok(share && (await ownOf(share)))
      },
      { detail: OWN_SHARE },
    )
    .delete(
      '/share',
      async ({ request }) => {
        const userId = request.headers.get(USER_HEADER)
        if (userId === null) return notSignedIn
        return ok({ ended: (await store.end(userId)) !== null })
      },
      { detail: CLOSE_SHARE },
    )
    .get(
      '/share/:token',
      async ({ params: { token }, query: { reader }, request }) => {
        const share = await store.find(token)
        if (!share) return unknown
        if (share.ended) return ended
        const { client, requestId } = callerOf(request.headers)
        const [found] = await Promise.all([
          readPosition(share.userId, requestId),
          readers.note(token, reader ?? client),
        ])
        const expiresAt = toIso(share.expiresAt.getTime())
        if (!found) return ok({ position: null, age: null, battery: null, expiresAt })
        const { battery, ...position } = found
        const ageMs = Math.max(0, now() - Date.parse(position.recordedAt))
        return ok({ position, age: Math.floor(ageMs / 1_000), battery, expiresAt })
      },
      { params: text(Params), query: text(ReaderQuery), detail: SHARED },
    )
    .get(
      '/internal/shares/:token',
      async ({ params: { token } }) => {
        const share = await store.find(token)
        return share ? ok({ ended: share.ended }) : unknown
      },
      { params: text(Params), detail: { hide: true } },
    )
}
