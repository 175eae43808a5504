import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

type Bucket = { start: string; checkins: number; points: number; activeUsers: number; distanceKm: number }
type Event = { at: string; type: string; by: string; detail: Record<string, unknown> }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const timeline = async (query = '', tier: 1 | 2 | 3 = 1) => {
  const data = await service.data(`/admin/timeline${query}`, { tier })
  return data as { buckets: Bucket[]; events: Event[] }
}
const startsOf = async (query: string) => (await timeline(query)).buckets.map(({ start }) => start)

test('before the first event the timeline is empty', async () => {
  expect(await timeline()).toEqual({ buckets: [], events: [] })
  expect(await timeline('?bucket=day&from=2026-05-01T00:00:00Z')).toEqual({ buckets: [], events: [] })
})

test('hours are summed over the shards, with zeros between the first and the last', async () => {
  await service.sql`INSERT INTO tracking.hours (shard, hour, points, checkins, walked_km, motorized_km, active) VALUES
    (0, '2026-05-01T15:00:00Z', 50, 2, 4.5, 0.25, 3), (7, '2026-05-01T15:00:00Z', 5, 1, 1, 0, 1),
    (0, '2026-05-01T18:00:00Z', 7, 0, 0, 2, 2)`
  await service.sql`INSERT INTO tracking.days (shard, day, active) VALUES
    (0, '2026-05-01', 3), (7, '2026-05-01', 1), (0, '2026-05-02', 2)`
  expect((await timeline()).buckets).toEqual([
    { start: '2026-05-01T15:00:00.000Z', checkins: 3, points: 55, activeUsers: 4, distanceKm: 5.75 },
    { start: '2026-05-01T16:00:00.000Z', checkins: 0, points: 0, activeUsers: 0, distanceKm: 0 },
    { start: '2026-05-01T17:00:00.000Z', checkins: 0, points: 0, activeUsers: 0, distanceKm: 0 },
    { start: '2026-05-01T18:00:00.000Z', checkins: 0, points: 7, activeUsers: 2, distanceKm: 2 },
  ])
})

test('days begin at midnight of the time zone and count each participant once', async () => {
  expect((await timeline('?bucket=day')).buckets).toEqual([
    { start: '2026-04-30T16:00:00.000Z', checkins: 3, points: 55, activeUsers: 4, distanceKm: 5.75 },
    { start: '2026-05-01T16:00:00.000Z', checkins: 0, points: 7, activeUsers: 2, distanceKm: 2 },
  ])
})

test('a range includes the hours and days that it touches, its end excluded', async () => {
  const ranges = {
    '?from=2026-05-01T15:59:59Z&to=2026-05-01T18:00:00Z': ['2026-05-01T15:00:00.000Z'],
    '?from=2026-05-01T16:00:00Z': ['2026-05-01T18:00:00.000Z'],
    '?from=2026-05-01T23:59:59%2B08:00&to=2026-05-01T18:00:00.001Z': 4,
    '?from=2026-05-01T23:59:59+08:00&to=2026-05-01T18:00:00.001Z': 4,
    [`?to=${Date.parse('2026-05-01T16:00:00Z')}`]: ['2026-05-01T15:00:00.000Z'],
    '?to=2026-05-01T15:00:00Z': [],
    '?bucket=day&to=2026-05-01T16:00:00Z': ['2026-04-30T16:00:00.000Z'],
    '?bucket=day&to=2026-05-01T16:00:00.001Z': 2,
    '?bucket=day&from=2026-05-01T15:59:59.999Z': 2,
    '?bucket=day&from=2026-05-01T16:00:00Z': ['2026-05-01T16:00:00.000Z'],
  }
  for (const [query, expected] of Object.entries(ranges)) {
    const starts = await startsOf(query)
    expect([query, typeof expected === 'number' ? starts.length : starts]).toEqual([query, expected])
  }
})

test('events of the range are in order, and only a manager or above sees whom they are about', async () => {
  await service.sql`INSERT INTO engagement.audit (type, by, at, detail) VALUES
    ('role.given', 'owner', '2026-05-01T17:00:00Z', '{"userId": "U1", "role": "volunteer"}'),
    ('activity.changed', 'manager', '2026-05-01T15:00:00Z', '{"status": "paused"}'),
    ('push.sent', 'manager', '2026-05-01T18:00:00Z', '{"recipients": 2, "to": {"userIds": ["U1", "U2"]}}')`
  expect((await timeline('', 1)).events).toEqual([
    { at: '2026-05-01T15:00:00.000Z', type: 'activity.changed', by: 'manager', detail: { status: 'paused' } },
    { at: '2026-05-01T17:00:00.000Z', type: 'role.given', by: 'owner', detail: { role: 'volunteer' } },
    { at: '2026-05-01T18:00:00.000Z', type: 'push.sent', by: 'manager', detail: { recipients: 2, to: {} } },
  ])
  const { events } = await timeline('?from=2026-05-01T17:00:00Z&to=2026-05-01T18:00:00Z', 2)
  expect(events).toMatchObject([{ type: 'role.given', detail: { userId: 'U1', role: 'volunteer' } }])
})

test('a change of the activity is listed at once', async () => {
  await service.data('/admin/status', { method: 'PUT', body: { status: 'paused' }, tier: 2 })
  expect((await timeline()).events.at(-1)).toMatchObject({
    type: 'activity.changed',
    by: 'manager',
    detail: { status: 'paused' },
  })
})

test('an invalid query is 400 and names the field', async () => {
  for (const [query, field] of [
    ['?from=yesterday', 'from'],
    ['?to=2026-05-01T00:00:00', 'to'],
    ['?to=99999999999999999', 'to'],
    ['?from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z', 'from'],
    ['?from=2026-05-02T00:00:00Z&to=2026-05-02T00:00:00Z', 'from'],
    ['?bucket=week', 'bucket'],
  ] as const) {
    const { status, body } = await service.call(`/admin/timeline${query}`, { tier: 1 })
    expect([query, status, String(body.error).split(':')[0]]).toEqual([query, 400, field])
  }
  expect((await service.call('/admin/timeline')).status).toBe(401)
})

test('of more than a thousand hours the latest are listed, a range of them is 400, and days work', async () => {
  await service.sql`INSERT INTO tracking.hours (shard, hour, points) VALUES (0, '2026-03-01T16:00:00Z', 1)`
  const { buckets } = await timeline()
  expect(buckets).toHaveLength(1000)
  expect(buckets.at(-1)?.start).toBe('2026-05-01T18:00:00.000Z')
  const { status, body } = await service.call('/admin/timeline?from=2026-01-01T00:00:00Z', { tier: 1 })
  expect([status, body.error]).toEqual([400, expect.stringMatching(/^from: expected .* 1000 hours/)])
  expect((await timeline('?from=2026-01-01T00:00:00Z&bucket=day')).buckets).toHaveLength(62)
})
