import { UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { callerOf, receivedAtOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { body, text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { CardService } from './card-service.ts'
import { Png, pictureParams, pictureResponse } from './picture.ts'
import type { GetProfile } from './profile-client.ts'
import { contentOf, type EventFacts } from './render/content.ts'
import { CARD_TYPE } from './save-card.ts'
import { type CardShareStore, ShareId } from './shares.ts'

type Options = {
  service: Pick<CardService, 'cardOf'>
  shares: CardShareStore
  getProfile: GetProfile
  event: EventFacts
}

const unknown = () => new ApiError('notFound', 'There is no card at this address.')

/** Cards by the address by which they are shared: web face, section 2. */
export const cardShareRoutes = ({ service, shares, getProfile, event }: Options) =>
  new Elysia({ name: 'card shares' })
    .get(
      '/c/:shareId',
      async ({ params: { shareId }, request }) => {
        const userId = await shares.ownerOf(shareId)
        const card = userId && (await service.cardOf(userId, callerOf(request.headers).requestId))
        return card ? pictureResponse(card, request) : unknown()
      },
      {
        params: pictureParams(Type.Object({ shareId: ShareId })),
        detail: describe({
          summary: 'A share card by its public address',
          description:
            'The picture of `/og/{userId}.png` at an address that does not say whose it is; without `.png` it is the page around it. Unknown once the participant is erased.',
          tags: ['cards'],
          answers: {
            200: { description: 'the picture', media: { [CARD_TYPE]: Png }, headers: ['ETag'] },
            304: { description: 'the picture is the one that the caller has', headers: ['ETag'] },
          },
          apiErrors: ['notFound', 'unavailable'],
        }),
      },
    )
    .get(
      '/internal/card-shares/:shareId',
      async ({ params: { shareId }, request }) => {
        const userId = await shares.ownerOf(shareId)
        const profile = userId && (await getProfile(userId, callerOf(request.headers).requestId))
        if (!profile) return unknown()
        const { name, km, checkins, level } = contentOf(profile, event)
        return ok({ name, km, checkins, level })
      },
      { params: text(Type.Object({ shareId: ShareId })), detail: { hide: true } },
    )
    .post(
      '/internal/card-shares',
      async ({ body: { userId }, request: { headers } }) =>
        ok({ shareId: await shares.shareIdOf(userId, receivedAtOf(headers)) }),
      { body: body(Type.Object({ userId: UserId })), detail: { hide: true } },
    )
