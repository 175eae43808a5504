import { greatCircleKm } from '@palanquin/domain/geo'
import { NearbyBody } from '@palanquin/domain/lost'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import { townAt } from '../beacons/town.ts'
import type { LivePosition } from './positions/live-position.ts'

type Options = { live: { positionOf: (userId: string) => LivePosition | undefined; isReady: () => boolean } }

/**
 * Which of some participants were last seen within a distance of any of the places, and the names of the places: for
 * messages to volunteers. Whatever they show to the public counts: their work is to be found.
 */
export const nearbyRoute = ({ live }: Options) =>
  new Elysia({ name: 'nearby' }).post(
    '/internal/nearby',
    ({ body: { userIds, places, withinKm } }) => {
      if (!live.isReady()) return new ApiError('unavailable', 'The map is loading; please try again.')
      const isNear = (userId: string): boolean => {
        const from = live.positionOf(userId)
        return from !== undefined && places.some((to) => greatCircleKm({ from, to }) <= withinKm)
      }
      return ok({ userIds: userIds.filter(isNear), towns: places.map(townAt) })
    },
    { body: body(NearbyBody), detail: { hide: true } },
  )
