import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking, untilTaken } from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  await given.sql`INSERT INTO engagement.participants (user_id) VALUES ('with-a-row')`
  service = await tracking(given)
  await until(async () => (await service.post('/internal/known', { userIds: [] })).status === 200, {
    what: 'all participants were read',
  })
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const knownOf = async (...userIds: string[]) => {
  const answer = await service.post('/internal/known', { userIds })
  expect(answer.status).toBe(200)
  return Object(answer.body.data).known
}

test('participants with a row, a check-in or a sync are registered; others are not', async () => {
  const here = { lat: 24.1, lng: 120.6, recordedAt: Date.now() }
  await service.post('/checkin', { userId: 'checked-in', ...here })
  await untilTaken(() => service.post('/track/sync', { userId: 'synced', points: [here] }))
  // The check-in is written behind its answer, and while Redis is slow the rows alone count.
  const known = () => knownOf('unregistered', 'with-a-row', 'synced', 'checked-in', 'unknown')
  await until(async () => Bun.deepEquals(await known(), [0, 1, 1, 1, 0]), { what: 'those who take part' })
})

test('while Redis stalls the answer comes in time, from the rows alone', async () => {
  given.redisServer.suspend()
  try {
    expect(await knownOf('unregistered', 'with-a-row')).toEqual([0, 1])
  } finally {
    given.redisServer.resume()
  }
})

test('invalid userIds are refused', async () => {
  expect((await service.post('/internal/known', { userIds: ['a b'] })).status).toBe(400)
})
