import { WITHIN_MAX, WithinBody, type WithinReply } from '@palanquin/domain/find'
import { greatCircleKm, type Place } from '@palanquin/domain/geo'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { Static } from 'typebox'

/** A degree of latitude has at least 110.5 km, so that who is farther in it is farther at all. */
const KM_IN_DEGREE_MIN = 110

type Options = { live: { positions: () => Iterable<Place & { userId: string }>; isReady: () => boolean } }

/** Who was last seen within a distance of a place, whatever they show to the public: for the organisers' list. */
export const withinRoute = ({ live }: Options) =>
  new Elysia({ name: 'within' }).post(
    '/internal/within',
    ({ body: { lat, lng, km } }) => {
      if (!live.isReady()) return new ApiError('unavailable', 'The map is loading; please try again.')
      const from = { lat, lng }
      const userIds: string[] = []
      for (const position of live.positions()) {
        if (Math.abs(position.lat - lat) * KM_IN_DEGREE_MIN > km) continue
        if (greatCircleKm({ from, to: position }) > km) continue
        if (userIds.length === WITHIN_MAX) return ok({ userIds: [], isTooMany: true } satisfies Reply)
        userIds.push(position.userId)
      }
      return ok({ userIds, isTooMany: false } satisfies Reply)
    },
    { body: body(WithinBody), detail: { hide: true } },
  )

type Reply = Static<typeof WithinReply>
