import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { batchOf } from '../../../test/batch.ts'
import { type Service, type Stores, stores, tracking } from '../../../test/harness.ts'
import { SYNCS_PATH } from './batch.ts'

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

const batch = (...bodies: string[]) => batchOf(service, SYNCS_PATH, bodies)
const start = Date.now() - 600_000
const syncOf = (userId: string, minutes: readonly number[]) =>
  JSON.stringify({
    userId,
    points: minutes.map((minute) => ({ lat: 24.1, lng: 120.6, recordedAt: start + minute * 60_000 })),
  })

test('each sync of a batch is judged and answered separately, and repeats of one participant are found', async () => {
  const answers = await batch(
    syncOf('one', [0, 1, 2]),
    '{"userId":"two","points":[]}',
    'no json at all',
    '{"line_user_id":"three","points":[{"lat":24,"lng":120,"timestamp":1},null]}',
    syncOf('one', [2, 3]),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200, 200])
  expect(answers[1]?.body).toMatchObject({ error: expect.stringMatching(/^points/), requestId: 'r-1' })
  expect(answers[3]?.body.data?.rejected).toEqual([
    { index: 0, reason: 'too_old' },
    { index: 1, reason: 'invalid' },
  ])
  const [first, last] = [answers[0]?.body.data, answers[4]?.body.data]
  expect((first?.buffered ?? 0) + (last?.buffered ?? 0)).toBe(4)
  expect((first?.duplicates ?? 0) + (last?.duplicates ?? 0)).toBe(1)
  await service.post('/internal/flush')
  const [row] = await given.sql`SELECT count(*)::int AS points FROM tracking.points WHERE user_id = 'one'`
  expect(row?.points).toBe(4)
})
