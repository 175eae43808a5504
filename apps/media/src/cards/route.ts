import { UserId } from '@palanquin/domain/ids'
import { Iso } from '@palanquin/domain/time'
import { withoutTrailingSlash } from '@palanquin/service/base-url'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { callerOf, receivedAtOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { CardService } from './card-service.ts'
import { Png, pictureParams, pictureResponse } from './picture.ts'
import { CARD_TYPE } from './save-card.ts'
import type { CardShareStore } from './shares.ts'

/** From this tier on `POST /og-image` renders the card again (contract section 4). */
const RENDER_AGAIN_TIER_MIN = 2
const OWNER_TIER = 3

const CardAnswer = Type.Object({
  userId: UserId,
  url: Type.String({
    description: 'where the picture is: an address where PUBLIC_BASE_URL is set, else a path',
  }),
  shareUrl: Type.String({
    description: 'where the card is shared: an address that does not say whose it is',
  }),
  etag: Type.String({ description: 'the tag of the picture' }),
  generatedAt: Iso,
})

const tags = ['cards']
const unknown = () => new ApiError('notFound', 'There is no participant with this userId.')

/** Share cards: contract section 4. `linkTo` makes addresses from configuration, never from the request. */
export const cardRoutes = ({ service, shares, linkTo, publishOutbox }: CardRoutes) =>
  new Elysia({ name: 'cards' })
    .get(
      '/og/:userId',
      async ({ params: { userId }, request }) => {
        const card = await service.cardOf(userId, callerOf(request.headers).requestId)
        if (!card) return unknown()
        return pictureResponse(card, request)
      },
      {
        params: pictureParams(Type.Object({ userId: UserId })),
        detail: describe({
          summary: 'A share card',
          description:
            '1200 × 630. The first request makes it, and so does every one after its figures changed. Answers 304 to If-None-Match.',
          tags,
          answers: {
            200: { description: 'the picture', media: { [CARD_TYPE]: Png }, headers: ['ETag'] },
            304: { description: 'the picture is the one that the caller has', headers: ['ETag'] },
          },
          apiErrors: ['notFound', 'unavailable'],
        }),
      },
    )
    .post(
      '/og-image',
      async ({ body: { userId }, request }) => {
        const { requestId, tier } = callerOf(request.headers)
        const again = tier >= RENDER_AGAIN_TIER_MIN
        const card = again
          ? await service.renderAgain(userId, requestId, tier === OWNER_TIER ? 'owner' : 'manager')
          : await service.cardOf(userId, requestId)
        if (!card) return unknown()
        if (again) await publishOutbox()
        const shareUrl = linkTo.share(await shares.shareIdOf(userId, receivedAtOf(request.headers)))
        return ok({
          userId,
          url: linkTo.picture(userId),
          shareUrl,
          etag: card.etag,
          generatedAt: card.generatedAt,
        })
      },
      {
        body: body(Type.Object({ userId: UserId })),
        detail: describe({
          summary: 'Make a share card',
          description:
            'Makes the card if there is none, or if its figures changed; otherwise returns the existing one. With X-Admin-Token (tier 2 or above) it is always made again.',
          tags,
          example: { userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2' },
          answers: {
            200: {
              description: 'the current card',
              data: CardAnswer,
              example: {
                userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2',
                url: '/api/event/og/U4af4980629c1f0b8d3e5a7c6b9d0e1f2.png',
                shareUrl: '/c/Zk3v0uQhJ5xW8yTtR2aNfg',
                etag: '"9f2c1d7e4b8a60533c1e5d7f90a2b4c6"',
                generatedAt: '2026-05-01T15:00:00.000Z',
              },
            },
          },
          apiErrors: ['invalid', 'notFound', 'unavailable'],
        }),
      },
    )

type CardRoutes = {
  service: Pick<CardService, 'cardOf' | 'renderAgain'>
  shares: Pick<CardShareStore, 'shareIdOf'>
  linkTo: CardLinks
  publishOutbox: () => Promise<void>
}

/** Addresses of cards, from configuration alone. */
export const linksTo = ({ baseUrl, brand }: { baseUrl: string | undefined; brand: string }) => ({
  picture: (userId: string): string => `${withoutTrailingSlash(baseUrl ?? '')}/api/${brand}/og/${userId}.png`,
  share: (shareId: string): string => `${withoutTrailingSlash(baseUrl ?? '')}/c/${shareId}`,
})

export type CardLinks = ReturnType<typeof linksTo>
