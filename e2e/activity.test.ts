import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'

const HOUR_MS = 3_600_000
const STARTS_AT = new Date(Date.now() + 30 * 24 * HOUR_MS).toISOString()

let stack: ThrowawayStack
beforeAll(async () => {
  // No scheduled flush: the end must store everything itself.
  stack = await startThrowawayStack({ FLUSH_SCHEDULE: '0 0 1 1 *', EVENT_STARTS_AT: STARTS_AT })
})
afterAll(() => stack.close())

const checkin = (userId: string, recordedAt?: number) =>
  stack.api.post('/checkin', { userId, lat: 24.3457, lng: 120.6238, ...(recordedAt ? { recordedAt } : {}) })

/** Changes the status and waits until check-ins are answered with `status`. */
async function holds(change: () => Promise<{ status: number }>, status: number): Promise<void> {
  expect((await change()).status).toBe(200)
  let tries = 0
  await until(async () => (await checkin(`probe-${status}-${tries++}`)).status === status, {
    what: `check-ins answered ${status}`,
  })
}

const setStatus = (status: 'active' | 'paused') =>
  stack.api.put('/admin/status', { status }, stack.api.as('manager'))

test('a first check-in makes a participant of level 1, without a flush', async () => {
  expect((await checkin('me')).status).toBe(202)
  const profile = await until(
    async () => {
      const profile = await stack.api.profile('me').catch(() => undefined)
      return profile?.checkins === 1 && profile
    },
    { what: 'the check-in of me' },
  )
  expect(profile.level).toMatchObject({ level: 1, nameZh: '煉氣香客' })
})

test('paused, check-ins and syncs are 403; resumed, they are taken again', async () => {
  await holds(() => setStatus('paused'), 403)
  const sync = await stack.api.post('/track/sync', {
    userId: 'me',
    points: [{ lat: 24, lng: 120, recordedAt: Date.now() }],
  })
  expect(sync.status).toBe(403)
  await holds(() => setStatus('active'), 202)
})

test('everyone can read that it is paused and why, while health is ok; before its start it is upcoming', async () => {
  const activity = async () => (await stack.api.get('/activity')).body
  const says = (data: object) =>
    until(async () => Bun.deepMatch({ data }, (await activity()) as object), { what: JSON.stringify(data) })
  await says({
    status: 'upcoming',
    startsAt: STARTS_AT,
    message: null,
    features: { line: false, survey: true },
  })
  const message = { zh: '大雨，稍候出發。', en: 'Heavy rain; we go on soon.' }
  await stack.api.put('/admin/status', { status: 'paused', message }, stack.api.as('manager'))
  await says({ status: 'paused', message })
  await until(async () => (await stack.api.health()).status === 'ok', { what: 'health ok' })
  await holds(() => setStatus('active'), 202)
  await says({ status: 'upcoming', message: null })
})

test('the end stores the buffer before it answers, and is final', async () => {
  const startMs = Date.now() - HOUR_MS
  const points = Array.from({ length: 60 }, (_, minute) => ({
    lat: 24.3457 + minute * 0.0006,
    lng: 120.6238,
    recordedAt: startMs + minute * 60_000,
  }))
  expect((await stack.api.post('/track/sync', { userId: 'finisher', points })).status).toBe(200)
  await until(async () => (await stack.api.health()).buffer_size > 0, { what: 'points in the buffer' })

  expect((await stack.api.post('/admin/end-activity', {}, stack.api.as('owner'))).status).toBe(200)
  const rows =
    await stack.sql`SELECT count(*)::int AS count FROM tracking.all_points WHERE user_id = 'finisher'`
  expect(rows[0]?.count).toBe(60)
  const isOver = async () => Bun.deepMatch({ status: 'ended', buffer_size: 0 }, await stack.api.health())
  await until(isOver, { what: 'the end in the health' })
  expect((await stack.api.profile('finisher')).distanceKm).toBeGreaterThan(3)
  expect((await checkin('late')).status).toBe(403)
  expect((await setStatus('active')).status).toBe(409)
})
