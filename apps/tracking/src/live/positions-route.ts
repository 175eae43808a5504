import { type LivePositions, PositionsBody } from '@palanquin/domain/find'
import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import { townAt } from '../beacons/town.ts'
import type { LivePosition } from './positions/live-position.ts'

type Options = { live: { positionOf: (userId: string) => LivePosition | undefined; isReady: () => boolean } }

/** Where some participants are, whatever they show to the public: for organisers who look for one of them. From memory alone. */
export const positionsRoute = ({ live }: Options) =>
  new Elysia({ name: 'positions' }).post(
    '/internal/positions',
    ({ body: { userIds, withPlaces } }) => {
      if (!live.isReady()) return new ApiError('unavailable', 'The map is loading; please try again.')
      const positions = userIds.flatMap((userId) => {
        const position = live.positionOf(userId)
        if (!position) return []
        const { lat, lng, recordedAt, battery } = position
        const place = withPlaces ? townAt({ lat, lng }) : null
        return [{ userId, lat, lng, recordedAt: toIso(recordedAt), battery, place }]
      })
      return ok({ positions } satisfies LivePositions)
    },
    { body: body(PositionsBody), detail: { hide: true } },
  )
