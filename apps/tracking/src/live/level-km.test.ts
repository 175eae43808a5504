import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type MapProcess, mapOf, type Stores, stores } from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let total: MapProcess
let walked: MapProcess
beforeAll(async () => {
  given = await stores()
  await given.sql`
    INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, checkins, points, state, last_lat,
      last_lng, last_at, moved_id, last_seen_at)
    VALUES ('rider', ${shardOf('rider')}, 1, 20, 100, 12, 1, '{}', 24, 120.6, now(), '1-0', now())`
  await given.sql`INSERT INTO engagement.participants (user_id, consent) VALUES ('rider', true)`
  total = await mapOf(given)
  walked = await mapOf(given, { env: { LEVEL_KM: 'walked' } })
})
afterAll(async () => {
  await Promise.all([total.close(), walked.close()])
  await given.close()
})

test('the map shows the level by the kilometres that count: all of them, or with LEVEL_KM=walked those on foot', async () => {
  const levels = async (map: MapProcess): Promise<unknown> => {
    const { points } = (await map.get('/data')).body.data as { points: { level: number }[] }
    return points.map(({ level }) => level)
  }
  await until(async () => JSON.stringify(await levels(total)) === '[3]', { what: 'level 3 of 120 km' })
  await until(async () => JSON.stringify(await levels(walked)) === '[2]', {
    what: 'level 2 of 20 km on foot',
  })
})
