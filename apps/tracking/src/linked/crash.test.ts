import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { killChildren, startChild } from '../../test/child.ts'
import { walk } from '../../test/erasure-harness.ts'
import { type Stores, stores, untilFlushed, untilTaken } from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
beforeAll(async () => {
  given = await stores()
})
afterAll(async () => {
  await killChildren()
  await given.close()
})

const NEVER = '0 0 1 1 *'

test(
  'killed anywhere while a device is joined, the next flush finishes it: every point once, check-ins of the journal too',
  async () => {
    const failPoints = ['link:after-page', 'link:after-removal', 'flush:after-commit']
    for (const [round, failPoint] of failPoints.entries()) {
      const [device, person] = [`w_device-${round}`, `U-person-${round}`]
      const child = await startChild(given, { FLUSH_SCHEDULE: NEVER })
      const points = walk(24.1 + round / 10, 50)
      const own = points.slice(40).map((point) => ({ ...point, recordedAt: point.recordedAt + 1_800_000 }))
      for (const sync of [
        { userId: device, source: 'auto', points },
        { userId: person, source: 'auto', points: own },
      ])
        expect((await untilTaken(() => child.post('/track/sync', sync))).status).toBe(200)
      await untilFlushed(child)
      await child.kill9()
      await given.sql`INSERT INTO engagement.links (device_id, user_id) VALUES (${device}, ${person})`

      const dying = await startChild(given, { FLUSH_SCHEDULE: NEVER, PALANQUIN_FAIL_POINT: failPoint })
      const place = { userId: device, lat: 24.9, lng: 120.6 }
      expect((await dying.post('/checkin', place))?.status).toBe(202)
      // Again where a store was too slow for it to come so far.
      await until(() => dying.post('/internal/flush').then(dying.died), { what: `the end at ${failPoint}` })
      await given.redis.del('flush:lock')

      const next = await startChild(given, { FLUSH_SCHEDULE: NEVER })
      // The first replays and stores what the journal holds; a flush moves what is stored by then.
      for (let i = 0; i < 2; i++) await untilFlushed(next)
      const tracks = await given.sql`
        SELECT user_id, points, checkins, needs_rebuild FROM tracking.tracks WHERE user_id IN (${device}, ${person})`
      expect({ failPoint, tracks: [...tracks] }).toEqual({
        failPoint,
        tracks: [{ user_id: person, points: 61, checkins: 1, needs_rebuild: false }],
      })
      await next.kill9()
    }
  },
  TEST_TIMEOUT_MS,
)
