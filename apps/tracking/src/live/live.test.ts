import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EventData } from '@palanquin/domain/events'
import { publish } from '@palanquin/events/publish'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { type MapProcess, mapOf, type Service, type Stores, stores, tracking } from '../../test/harness.ts'

setDefaultTimeout(HANG_MS)

let given: Stores
let service: Service
let map: MapProcess
let other: MapProcess
beforeAll(async () => {
  given = await stores()
  for (const [userId, name, consent, status] of [
    ['ming', '阿明', true, 'active'],
    ['hua', null, true, 'completed'],
    ['shy', 'Shy', false, 'active'],
    ['gone', 'Gone', true, 'active'],
  ] as const)
    await given.sql`INSERT INTO engagement.participants (user_id, display_name, consent, status)
      VALUES (${userId}, ${name}, ${consent}, ${status})`
  service = await tracking(given)
  map = await mapOf(given)
  other = await mapOf(given)
  for (const one of [map, other])
    await until(async () => (await one.get('/data')).status === 200, { what: 'the map is whole' })
})
afterAll(async () => {
  await Promise.all([service.close(), map.close(), other.close()])
  await given.close()
})

type Point = {
  id: string
  userId?: string
  lat: number
  lng: number
  recordedAt: string
  level: number | null
  displayName?: string
}
type Data = { points: Point[]; cursor: string; total: number }
const MANAGER = { 'x-internal-tier': '2' }
const data = async (query = '', { headers = {}, from = map } = {}): Promise<Data> => {
  const answer = await from.get(`/data${query}`, headers)
  expect(answer.status).toBe(200)
  return answer.body.data as Data
}
const checkin = (userId: string, lat: number, lng = 120.6, more = {}) =>
  service.post('/checkin', { userId, lat, lng, ...more })
const latOf = async (lat: number, from = map) =>
  until(async () => (await data('', { from })).points.find((point) => point.lat === lat), {
    what: `a point at ${lat} on the map`,
  })

test('a check-in is on the map of every process, without a flush, under a pseudonym', async () => {
  expect(await data()).toMatchObject({ points: [], total: 0 })
  await checkin('ming', 24.1)
  const [here, there] = await Promise.all([latOf(24.1), latOf(24.1, other)])
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
  await service.post('/track/sync', { userId: 'hua', points: [at(24.21, now - 2), at(24.22, now - 1)] })
  await latOf(24.22)
  await service.post('/track/sync', { userId: 'hua', points: [at(24.23, now - 60_000)] })
  await checkin('ming', 24.11, 120.6, { recordedAt: now })
  await latOf(24.11)
  expect((await data()).points.map(({ lat }) => lat).toSorted()).toEqual([24.11, 24.22])
})

test('without consent, unknown or withdrawn nobody is in public; an administrator sees everybody', async () => {
  for (const userId of ['shy', 'stranger', 'gone']) await checkin(userId, 24.3)
  await until(async () => (await data('', { headers: MANAGER })).total === 5, { what: 'all five' })
  await given.sql`UPDATE engagement.participants SET status = 'withdrawn', updated_at = now() WHERE user_id = 'gone'`
  await until(async () => (await data()).total === 2, { what: 'only those who may be seen' })
  const seen = await data('', { headers: MANAGER })
  expect(seen.points.map(({ userId }) => userId).toSorted()).toEqual([
    'gone',
    'hua',
    'ming',
    'shy',
    'stranger',
  ])
  expect((await data('', { headers: { 'x-internal-tier': '1' } })).total).toBe(2)
  await given.sql`UPDATE engagement.participants SET consent = false, updated_at = now() WHERE user_id = 'ming'`
  await until(async () => (await data()).total === 1, { what: 'consent withdrawn' })
  await given.sql`UPDATE engagement.participants SET consent = true, updated_at = now() WHERE user_id = 'ming'`
  await until(async () => (await data()).total === 2, { what: 'consent given' })
})

test('since gives only who has moved, in every process, and across flush and restart', async () => {
  const { cursor } = await data()
  expect(await data(`?since=${cursor}`)).toMatchObject({ points: [], total: 2 })
  await checkin('hua', 24.4)
  await latOf(24.4)
  await latOf(24.4, other)
  for (const from of [map, other]) {
    const moved = await data(`?since=${cursor}`, { from })
    expect(moved.points.map(({ lat }) => lat)).toEqual([24.4])
    expect((await data(`?since=${moved.cursor}`, { from })).points).toEqual([])
  }
  await service.post('/internal/flush')
  const again = await mapOf(given)
  await until(async () => (await data('', { from: again })).total === 2, { what: 'the map is loaded' })
  expect((await data(`?since=${cursor}`, { from: again })).points.map(({ lat }) => lat)).toEqual([24.4])
  const { cursor: later } = await data('', { from: again })
  expect((await data(`?since=${later}`)).points).toEqual([])
  await again.close()
})

test('pages of a limit give everybody once, in any page size', async () => {
  const everybody = (await data('', { headers: MANAGER })).points.map(({ id }) => id).toSorted()
  for (const limit of [1, 2, 3, 100]) {
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await data(`?limit=${limit}${cursor && `&since=${cursor}`}`, { headers: MANAGER })
      expect(page.points.length).toBeLessThanOrEqual(limit)
      expect(page.total).toBe(everybody.length)
      seen.push(...page.points.map(({ id }) => id))
      if (page.points.length === 0) break
      cursor = page.cursor
    }
    expect(seen.toSorted()).toEqual(everybody)
  }
})

test('a box cuts the map, across the antimeridian too', async () => {
  await checkin('hua', -17, 179.9)
  await latOf(-17)
  expect(await data('?bbox=120,24,121,25')).toMatchObject({ total: 1, points: [{ displayName: '阿明' }] })
  expect(await data('?bbox=179,-18,-179,-16')).toMatchObject({ total: 1, points: [{ lat: -17 }] })
  expect(await data('?bbox=-179,-18,179,-16')).toMatchObject({ total: 0 })
  const { cursor } = await data()
  expect(await data(`?bbox=120,24,121,25&since=${cursor}`)).toMatchObject({ total: 1, points: [] })
})

test('the level counts check-ins that are not flushed yet once, and flushed ones once', async () => {
  await given.sql`INSERT INTO engagement.participants (user_id, consent) VALUES ('crowd', true)`
  for (let i = 0; i < 5; i++) await checkin('crowd', 26 + i / 100)
  const levels = async () =>
    (await data('', { headers: MANAGER })).points.find(({ userId }) => userId === 'crowd')?.level
  await until(async () => (await levels()) === 1, { what: 'level 1' })
  await given.sql`UPDATE tracking.tracks SET walked_km = 20 WHERE user_id = 'crowd'`
  await service.post('/internal/flush')
  await given.sql`
    WITH moved AS (UPDATE tracking.flush_cursors SET version = version + 1
      WHERE shard = (SELECT shard FROM tracking.tracks WHERE user_id = 'crowd') RETURNING version)
    UPDATE tracking.tracks SET walked_km = 20, version = moved.version FROM moved WHERE user_id = 'crowd'`
  await until(async () => (await levels()) === 2, { what: '20 km and 5 check-ins are level 2' })
})

test('an erased participant leaves every map once it is published, and comes back as somebody new', async () => {
  const { status, body } = await service.post('/internal/erase', { userId: 'crowd' })
  expect(status).toBe(200)
  const { tell } = body.data as { tell: EventData<'participant.erased'> }
  await publish(given.redis, { id: randomUUID(), type: 'participant.erased', at: tell.at, data: tell })
  for (const from of [map, other])
    await until(async () => (await data('', { from })).total === 2, { what: 'nobody of that name' })
  await checkin('crowd', 26.5)
  const anew = async () =>
    (await data('', { headers: MANAGER })).points.find(({ userId }) => userId === 'crowd')?.level
  await until(async () => (await anew()) === 1, { what: 'one check-in is level 1 again' })
})
