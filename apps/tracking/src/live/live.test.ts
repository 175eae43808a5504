import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { publish } from '@palanquin/events/publish'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { eraseAt } from '../../test/erasure-harness.ts'
import { MANAGER, mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, data, checkin, pointAt, addParticipants, startMap } = mapHarness({
  prepare: async ({ sql }) => {
    for (const [userId, name, consent, status] of [
      ['ming', '阿明', true, 'active'],
      ['hua', null, true, 'completed'],
      ['shy', 'Shy', false, 'active'],
      ['gone', 'Gone', true, 'active'],
    ] as const)
      await sql`INSERT INTO engagement.participants (user_id, display_name, consent, status)
        VALUES (${userId}, ${name}, ${consent}, ${status})`
  },
})

test('a check-in is on the map of every process before a flush, under a pseudonym', async () => {
  expect(await data()).toMatchObject({ points: [], total: 0 })
  await checkin('ming', 24.1)
  const [here, there] = await Promise.all([pointAt(24.1), pointAt(24.1, opened().other)])
  expect(here).toEqual({
    id: expect.stringMatching(/^[\w-]{16}$/),
    lat: 24.1,
    lng: 120.6,
    recordedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 1,
    displayName: '阿明',
  })
  expect(there).toEqual(here)
  expect(JSON.stringify(await data())).not.toContain('ming')
})

test('the latest position is that of the greatest recordedAt, not of the last arrival', async () => {
  const now = Date.now()
  const at = (lat: number, recordedAt: number) => ({ lat, lng: 120.6, recordedAt })
  await opened().service.post('/track/sync', {
    userId: 'hua',
    points: [at(24.21, now - 2), at(24.22, now - 1)],
  })
  await pointAt(24.22)
  await opened().service.post('/track/sync', { userId: 'hua', points: [at(24.23, now - 60_000)] })
  await checkin('ming', 24.11, 120.6, { recordedAt: now })
  await pointAt(24.11)
  expect((await data()).points.map(({ lat }) => lat).toSorted()).toEqual([24.11, 24.22])
})

test('participants without consent, unregistered or withdrawn are hidden from the public, not from administrators', async () => {
  for (const userId of ['shy', 'unregistered', 'gone']) await checkin(userId, 24.3)
  await until(async () => (await data('', { headers: MANAGER })).total === 5, { what: 'all five' })
  await opened().given
    .sql`UPDATE engagement.participants SET status = 'withdrawn', updated_at = now() WHERE user_id = 'gone'`
  await until(async () => (await data()).total === 2, { what: 'only public participants' })
  const seen = await data('', { headers: MANAGER })
  expect(seen.points.map(({ userId }) => userId).toSorted()).toEqual([
    'gone',
    'hua',
    'ming',
    'shy',
    'unregistered',
  ])
  expect((await data('', { headers: { 'x-internal-tier': '1' } })).total).toBe(2)
  await opened().given
    .sql`UPDATE engagement.participants SET consent = false, updated_at = now() WHERE user_id = 'ming'`
  await until(async () => (await data()).total === 1, { what: 'consent withdrawn' })
  await opened().given
    .sql`UPDATE engagement.participants SET consent = true, updated_at = now() WHERE user_id = 'ming'`
  await until(async () => (await data()).total === 2, { what: 'consent given' })
})

test('since gives only who has moved, in every process, across flush and restart', async () => {
  const { cursor } = await data()
  expect(await data(`?since=${cursor}`)).toMatchObject({ points: [], total: 2 })
  await checkin('hua', 24.4)
  await pointAt(24.4)
  await pointAt(24.4, opened().other)
  for (const from of [opened().map, opened().other]) {
    const moved = await data(`?since=${cursor}`, { from })
    expect(moved.points.map(({ lat }) => lat)).toEqual([24.4])
    expect((await data(`?since=${moved.cursor}`, { from })).points).toEqual([])
  }
  await opened().service.post('/internal/flush')
  const again = await startMap()
  expect((await data('', { from: again })).total).toBe(2)
  expect((await data(`?since=${cursor}`, { from: again })).points.map(({ lat }) => lat)).toEqual([24.4])
  const { cursor: later } = await data('', { from: again })
  expect((await data(`?since=${later}`)).points).toEqual([])
  await again.close()
})

test('pages of any size give every participant once', async () => {
  const all = (await data('', { headers: MANAGER })).points.map(({ id }) => id).toSorted()
  for (const limit of [1, 2, 3, 100]) {
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await data(`?limit=${limit}${cursor && `&since=${cursor}`}`, { headers: MANAGER })
      expect(page.points.length).toBeLessThanOrEqual(limit)
      expect(page.total).toBe(all.length)
      seen.push(...page.points.map(({ id }) => id))
      if (page.points.length === 0) break
      cursor = page.cursor
    }
    expect(seen.toSorted()).toEqual(all)
  }
})

test('a box cuts the map, across the antimeridian too', async () => {
  await checkin('hua', -17, 179.9)
  await pointAt(-17)
  expect(await data('?bbox=120,24,121,25')).toMatchObject({ total: 1, points: [{ displayName: '阿明' }] })
  expect(await data('?bbox=179,-18,-179,-16')).toMatchObject({ total: 1, points: [{ lat: -17 }] })
  expect(await data('?bbox=-179,-18,179,-16')).toMatchObject({ total: 0 })
  const { cursor } = await data()
  expect(await data(`?bbox=120,24,121,25&since=${cursor}`)).toMatchObject({ total: 1, points: [] })
})

test('the level counts check-ins that are not flushed yet once, and flushed ones once', async () => {
  await addParticipants('crowd')
  for (let i = 0; i < 5; i++) await checkin('crowd', 26 + i / 100)
  const levels = async () =>
    (await data('', { headers: MANAGER })).points.find(({ userId }) => userId === 'crowd')?.level
  await until(async () => (await levels()) === 1, { what: 'level 1' })
  await opened().given.sql`UPDATE tracking.tracks SET walked_km = 20 WHERE user_id = 'crowd'`
  await opened().service.post('/internal/flush')
  await opened().given.sql`
    WITH moved AS (UPDATE tracking.flush_cursors SET version = version + 1
      WHERE shard = (SELECT shard FROM tracking.tracks WHERE user_id = 'crowd') RETURNING version)
    UPDATE tracking.tracks SET walked_km = 20, version = moved.version FROM moved WHERE user_id = 'crowd'`
  await until(async () => (await levels()) === 2, { what: '20 km and 5 check-ins are level 2' })
})

test('an erased participant leaves every map, and comes back as a new one', async () => {
  const { event } = await eraseAt(opened().service, 'crowd')
  await publish(opened().given.redis, {
    id: randomUUID(),
    type: 'participant.erased',
    at: event.at,
    data: event,
  })
  for (const from of [opened().map, opened().other])
    await until(async () => (await data('', { from })).total === 2, { what: 'the removal' })
  await checkin('crowd', 26.5)
  const levelAgain = async () =>
    (await data('', { headers: MANAGER })).points.find(({ userId }) => userId === 'crowd')?.level
  await until(async () => (await levelAgain()) === 1, { what: 'one check-in is level 1 again' })
})
