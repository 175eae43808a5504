import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { ACTIVITY_STATUSES, type ActivityStatus } from '@palanquin/domain/activity'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Call, startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
let flushes = 0
let flushWorks = true
beforeEach(async () => {
  flushes = 0
  flushWorks = true
  service = await startTestService({
    flush: async () => {
      flushes++
      return flushWorks
    },
  })
})
afterEach(() => service.close())

const put = (status: string, how: Call = { tier: 2 }) =>
  service.call('/admin/status', { method: 'PUT', body: { status }, ...how })
const end = (how: Call = { tier: 3 }) => service.call('/admin/end-activity', { body: {}, ...how })
const projected = async () => JSON.parse((await service.redis.get('activity')) ?? 'null')
const events = async () =>
  (await service.outbox()).map(({ type, data }) => (data.status ? `${type} ${data.status}` : type))
const audited = async () => [
  ...(await service.sql`SELECT type, by, detail FROM engagement.audit ORDER BY id`),
]

test('an activity begins active', async () => {
  const { status, body } = await service.call('/admin/status', { tier: 1 })
  expect(status).toBe(200)
  expect(body.data).toEqual({ status: 'active', since: expect.any(String), by: null })
})

test('pause and resume return the status, emit one event each, and update Redis before the response', async () => {
  for (const [status, tier, by] of [
    ['paused', 2, 'manager'],
    ['active', 3, 'owner'],
  ] as const) {
    const published = service.published()
    const response = await put(status, { tier })
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual({ status, since: expect.stringMatching(/\.\d{3}Z$/), by })
    expect(await projected()).toEqual(response.body.data)
    expect(service.published()).toBe(published + 1)
    expect((await service.call('/admin/status', { tier: 1 })).body.data).toEqual(response.body.data)
    expect({ ...(await service.outbox()).at(-1) }).toEqual({
      type: 'activity.changed',
      data: response.body.data,
    })
    // A repeated call returns the same and emits nothing.
    expect((await put(status, { tier: 2 })).body.data).toEqual(response.body.data)
  }
  expect(await events()).toEqual(['activity.changed paused', 'activity.changed active'])
  expect(await audited()).toEqual([
    { type: 'activity.changed', by: 'manager', detail: { status: 'paused' } },
    { type: 'activity.changed', by: 'owner', detail: { status: 'active' } },
  ])
})

test('of twenty concurrent pauses, one takes effect', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => put('paused')))
  for (const { status, body } of answers) expect([status, body.data]).toEqual([200, answers[0]?.body.data])
  expect(await events()).toEqual(['activity.changed paused'])
})

test('a status other than paused and active is 400, ended too', async () => {
  for (const status of ['ended', 'running', '', null, 7]) {
    const response = await service.call('/admin/status', { method: 'PUT', body: { status }, tier: 3 })
    expect(response.status).toBe(400)
    expect(response.body.error).toBe('status: expected paused or active')
  }
  expect(await events()).toEqual([])
})

test('the service checks the minimum tier of each call itself', async () => {
  const calls: [string, (tier: 0 | 1 | 2 | 3) => Promise<{ status: number }>, number[]][] = [
    ['GET status', (tier) => service.call('/admin/status', { tier }), [401, 200, 200, 200]],
    ['GET role', (tier) => service.call('/auth/role', { tier }), [401, 200, 200, 200]],
    ['PUT status', (tier) => put('paused', { tier }), [401, 403, 200, 200]],
    ['POST end', (tier) => end({ tier }), [401, 403, 200, 200]],
  ]
  for (const [name, call, expected] of calls) {
    const statuses: number[] = []
    for (const tier of [0, 1, 2, 3] as const) statuses.push((await call(tier)).status)
    expect([name, ...statuses]).toEqual([name, ...expected])
  }
})

/** Contract section 5, written out: present status → call → answer and the status after it. */
const TABLE: Record<ActivityStatus, Record<'paused' | 'active' | 'end', [number, ActivityStatus]>> = {
  active: { active: [200, 'active'], paused: [200, 'paused'], end: [200, 'ended'] },
  paused: { active: [200, 'active'], paused: [200, 'paused'], end: [200, 'ended'] },
  ended: { active: [409, 'ended'], paused: [409, 'ended'], end: [200, 'ended'] },
}
test('the transitions of the activity are those of the contract', async () => {
  for (const from of ACTIVITY_STATUSES)
    for (const call of ['active', 'paused', 'end'] as const) {
      await service.sql`UPDATE engagement.activity SET status = ${from}, outcome = NULL`
      const [status, after] = TABLE[from][call]
      const response = call === 'end' ? await end() : await put(call)
      expect([from, call, response.status]).toEqual([from, call, status])
      expect((await service.call('/admin/status', { tier: 1 })).body.data).toMatchObject({ status: after })
      if (status === 409)
        expect(response.body.error).toBe('The activity has ended; it cannot be resumed or paused.')
    }
})

test('the end flushes and returns the totals; a second call returns the same and emits nothing', async () => {
  await service.sql`
    INSERT INTO engagement.participants (user_id, phone, survey_completed_at)
    VALUES ('unlocked', '+886912345678', now()), ('no-survey', '+886912345678', NULL), ('only-a-row', NULL, NULL)`
  await service.sql`
    INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, checkins, points, state, last_seen_at)
    VALUES ('unlocked', 0, 1, 10.00049, 1, 3, 30, '{}', now()), ('no-survey', 0, 1, 2, 0.5, 4, 40, '{}', now()),
           ('only-a-track', 0, 1, 0.25, 0, 0, 5, '{}', now())`
  const first = await end()
  expect(first.status).toBe(200)
  expect(first.body.data).toEqual({
    endedAt: (await projected()).since,
    by: 'owner',
    participants: 4,
    checkins: 7,
    points: 75,
    distanceKm: 13.75,
    walkedKm: 12.25,
    motorizedKm: 1.5,
    unlocked: 1,
    flushedAt: '2026-05-09T12:00:00.000Z',
  })
  expect(await projected()).toMatchObject({ status: 'ended', by: 'owner' })

  await service.sql`UPDATE tracking.tracks SET checkins = 100`
  expect((await end({ tier: 2 })).body).toEqual(first.body)
  expect(flushes).toBe(1)
  expect(await events()).toEqual(['activity.changed ended', 'achievement.unlocked', 'activity.ended'])
  expect((await service.outbox()).at(-1)?.data).toEqual({ at: (await projected()).since, by: 'owner' })
})

test('achievements that the final flush made due are emitted before the end, even when consumers lag', async () => {
  await service.close()
  service = await startTestService({
    flush: async () => {
      await service.sql`
        INSERT INTO tracking.tracks (user_id, shard, version, checkins, points, state, last_seen_at)
        SELECT 'user-' || i, 0, 1, i, i, '{}', now() FROM generate_series(1, 5) AS i`
      return true
    },
  })
  await service.sql`
    INSERT INTO engagement.participants (user_id, phone, survey_completed_at)
    SELECT 'user-' || i, '+886912345678', now() FROM generate_series(1, 5) AS i`
  // One of them becomes due after the sweep: the outcome's own statement finds them.
  const { unlockDue } = service.activity
  service.activity.unlockDue = async () => {
    await service.sql`UPDATE tracking.tracks SET checkins = 2 WHERE user_id = 'user-4'`
    const swept = await unlockDue()
    await service.sql`UPDATE tracking.tracks SET checkins = 4 WHERE user_id = 'user-4'`
    return swept
  }
  expect((await end()).body.data).toMatchObject({ unlocked: 3 })
  const published = (await service.outbox()).map(({ type, data }) => data.userId ?? type)
  expect(published.at(-1)).toBe('activity.ended')
  expect(published.toSorted()).toEqual(['activity.changed', 'activity.ended', 'user-3', 'user-4', 'user-5'])
})

test('ten concurrent ends return one outcome and emit one event', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => end()))
  for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body ?? {}])
  expect(await events()).toEqual(['activity.changed ended', 'activity.ended'])
})

test('while the final flush fails the activity is ended without totals, and a repeated call finishes it', async () => {
  flushWorks = false
  for (let i = 0; i < 2; i++) {
    const { status, body, headers } = await end()
    expect(status).toBe(503)
    expect(body.error).toContain('The activity has ended')
    expect(body.error).toContain('call this again')
    expect(headers.get('retry-after')).toBeTruthy()
  }
  expect((await put('active')).status).toBe(409)
  expect(await events()).toEqual(['activity.changed ended'])
  flushWorks = true
  expect((await end()).status).toBe(200)
  expect(await events()).toEqual(['activity.changed ended', 'activity.ended'])
})

test('an end that crashed after its first step is finished by the next call, even without a body', async () => {
  await service.activity.store.end('manager')
  const { status, body } = await service.call('/admin/end-activity', { method: 'POST', tier: 3 })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ by: 'manager', participants: 0, distanceKm: 0 })
  expect(await events()).toEqual(['activity.changed ended', 'activity.ended'])
})

test('without Redis, where other processes read the status, the final flush waits', async () => {
  await service.redisServer?.kill9()
  expect((await end()).status).toBe(503)
  expect(flushes).toBe(0)
})
