import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rollupFaults } from '@palanquin/testing/faults/rollups'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Service, type Stores, stores, tracking } from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const startMs = Math.floor(Date.now() / 3_600_000 - 5) * 3_600_000
const pointAt = (minute: number) => ({
  lat: 24 + minute * 0.001,
  lng: 120.6,
  recordedAt: startMs + minute * 60_000,
})
/** With a `speed` they are no repeats of a minute ago, which tracking drops before it stores anything. */
async function flushOf(userId: string, minutes: readonly number[], speed?: number): Promise<unknown> {
  const points = minutes.map((minute) => ({ ...pointAt(minute), ...(speed ? { speed } : {}) }))
  expect((await service.post('/track/sync', { userId, points })).status).toBe(200)
  return service.flusher.flush()
}
const trackOf = async (userId: string) => {
  const [row] = await given.sql`
    SELECT points, walked_km + motorized_km AS km, needs_rebuild FROM tracking.tracks WHERE user_id = ${userId}`
  return row
}

test('stored points of which a track knows nothing count once, and the track is recomputed from them', async () => {
  await flushOf('whole', [0, 1, 2, 3, 4, 5])
  await flushOf('lost', [0, 1, 2, 3])
  await given.sql`DELETE FROM tracking.tracks WHERE user_id = 'lost'`
  expect(await flushOf('lost', [2, 3, 4, 5], 4)).toMatchObject({ flushed: 2, rebuilt: 1 })
  expect(await trackOf('lost')).toEqual(await trackOf('whole'))
  expect(await given.sql`SELECT 1 FROM tracking.set_aside`).toHaveLength(0)
  expect(await rollupFaults(given.sql)).toEqual([])
})

test('a track of the version before, in JSON, goes on as if nothing had happened', async () => {
  await flushOf('older', [0, 1, 2])
  const [{ state } = { state: '' }] =
    await given.sql`SELECT state FROM tracking.tracks WHERE user_id = 'older'`
  const [anchor, noise, last, lastFix] = JSON.parse(state)
  const fixOf = ([lat, lng, recordedAt, accuracy]: number[]) => ({ lat, lng, recordedAt, accuracy })
  const [{ walked_km: walkedKm, motorized_km: motorizedKm } = { walked_km: 0, motorized_km: 0 }] =
    await given.sql`SELECT walked_km, motorized_km FROM tracking.tracks WHERE user_id = 'older'`
  const before = {
    anchor: fixOf(anchor),
    noise,
    walkedKm,
    motorizedKm,
    points: 3,
    checkins: 0,
    last: { recordedAt: last[0], kind: 'track' },
    lastFix: fixOf(lastFix),
  }
  await given.sql`UPDATE tracking.tracks SET state = ${JSON.stringify(before)} WHERE user_id = 'older'`
  expect(await flushOf('older', [3, 4, 5])).toMatchObject({ flushed: 3, rebuilt: 0 })
  expect(await trackOf('older')).toEqual(await trackOf('whole'))
})
