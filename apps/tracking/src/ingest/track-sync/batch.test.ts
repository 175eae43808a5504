import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { batchOf, type Counted } from '../../../test/batch.ts'
import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'

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

const batch = (...calls: Counted[]) => batchOf(service, '/internal/sync-batch', calls)
const start = Date.now() - 600_000
const syncOf = (userId: string, minutes: readonly number[]): Counted => ({
  userId,
  json: JSON.stringify({
    userId,
    points: minutes.map((minute) => ({ lat: 24.1, lng: 120.6, recordedAt: start + minute * 60_000 })),
  }),
})
const stored = async (userId: string): Promise<unknown> => {
  await untilFlushed(service)
  const [row] = await given.sql`SELECT count(*)::int AS points FROM tracking.points WHERE user_id = ${userId}`
  return row?.points
}

test('each sync of a batch is judged and answered separately, and repeats of one participant are found', async () => {
  const answers = await batch(
    syncOf('one', [0, 1, 2]),
    { userId: 'two', json: '{"userId":"two","points":[]}' },
    { userId: 'none', json: 'no json at all' },
    {
      userId: 'three',
      json: '{"line_user_id":"three","points":[{"lat":24,"lng":120,"timestamp":1},null]}',
    },
    syncOf('one', [2, 3]),
    { userId: 'four', json: '{"userId":"four","source":"admin","points":[{}]}' },
    // Its last point repeats the first, so that the parser judges it.
    syncOf('five', [0, 1, 0]),
  )
  const statuses = [200, 'alone', 'alone', 200, 200, 'alone', 200] as const
  expect(answers.map(({ status }) => status)).toEqual([...statuses])
  expect(answers[3]?.body.data?.rejected).toEqual([
    { index: 0, reason: 'too_old' },
    { index: 1, reason: 'invalid' },
  ])
  const [first, last] = [answers[0]?.body.data, answers[4]?.body.data]
  expect((first?.buffered ?? 0) + (last?.buffered ?? 0)).toBe(4)
  expect((first?.duplicates ?? 0) + (last?.duplicates ?? 0)).toBe(1)
  expect(answers[6]?.body.data).toMatchObject({ buffered: 2, duplicates: 1, rejected: [] })
  expect(await stored('one')).toBe(4)
  expect(await stored('five')).toBe(2)
})

test('a sync that names somebody else than it was counted by is not taken', async () => {
  const { json } = syncOf('victim', [0])
  const answers = await batch(
    { userId: 'attacker', json },
    { userId: '', json },
    { userId: 'attacker', json: json.replace('{', '{"userId":"attacker",') },
    { userId: 'attacker', json: json.replace('"userId"', '"line_user_id"') },
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'alone'))
  expect(await stored('victim')).toBe(0)
})

test('one of whom nothing was buffered is not new, and one whom nobody knew is new once', async () => {
  const refused = { userId: 'late', json: '{"userId":"late","points":[{"lat":24,"lng":120,"recordedAt":1}]}' }
  expect((await batch(refused, syncOf('new', [0]))).map(({ isNew }) => isNew)).toEqual([false, true])
  expect((await batch(syncOf('late', [1]), syncOf('new', [1]))).map(({ isNew }) => isNew)).toEqual([
    true,
    false,
  ])
})

test('more syncs than one script takes are each answered', async () => {
  const crowd = Array.from({ length: 70 }, (_, at) => syncOf(`crowd-${at}`, [0, 1]))
  const answers = await batch(...crowd)
  expect(answers.map(({ body }) => body.data?.buffered)).toEqual(crowd.map(() => 2))
})

test('while Redis is away the journal takes each, and a repeat counts once', async () => {
  const calls = [syncOf('patient', [0, 1]), syncOf('other', [0])]
  given.redisServer.suspend()
  try {
    const answers = await batch(...calls)
    expect(answers.map(({ status, body }) => [status, body.data?.buffered])).toEqual([
      [200, 2],
      [200, 1],
    ])
  } finally {
    given.redisServer.resume()
  }
  await until(async () => (await batch(...calls)).every(({ status }) => status === 200), {
    what: 'Redis takes them',
  })
  expect([await stored('patient'), await stored('other')]).toEqual([2, 1])
})
