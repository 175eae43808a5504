import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import { UserId } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { townAt } from '../beacons/town.ts'
import type { LivePosition } from './positions/live-position.ts'

/** Of the latest stored point: this process forgets it with a restart. */
const READ_BATTERY = `
SELECT battery FROM tracking.all_points
 WHERE user_id = $1 AND recorded_at >= now() - interval '1 day' AND hour >= now() - interval '25 hours'
 ORDER BY recorded_at DESC, kind DESC LIMIT 1`
const StoredBattery = Type.Object({ battery: Nullable(Type.Integer()) })

type Options = {
  live: { positionOf: (userId: string) => LivePosition | undefined; isReady: () => boolean }
  db: Pick<Database, 'queryAs'>
}

/** Where one participant is, whatever they show to the public: for the links that they share with their family. */
export const positionRoute = ({ live, db }: Options) =>
  new Elysia({ name: 'position' }).get(
    '/internal/position/:userId',
    async ({ params: { userId } }) => {
      if (!live.isReady()) return new ApiError('unavailable', 'The map is loading; please try again.')
      const position = live.positionOf(userId)
      if (!position) return new ApiError('notFound', 'No position of this participant is known.')
      const { lat, lng, recordedAt, accuracyM } = position
      const [stored] =
        position.battery === null ? await db.queryAs(StoredBattery, READ_BATTERY, [userId]) : []
      return ok({
        lat,
        lng,
        accuracyM,
        recordedAt: toIso(recordedAt),
        battery: position.battery ?? stored?.battery ?? null,
        place: townAt({ lat, lng }),
      })
    },
    { params: text(Type.Object({ userId: UserId })), detail: { hide: true } },
  )
