import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking } from '../../test/harness.ts'
import { pointsKey } from '../buffer/keys.ts'

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

const now = Date.now()
const good = JSON.stringify([[now - 1_000, 24, 120, null, null, null, null]])
const entry = (over: Record<string, string>) => ({
  u: 'pilgrim',
  k: 't',
  s: 'auto',
  r: String(now),
  n: '1',
  p: good,
  ...over,
})
const add = (fields: Record<string, string>, shard = shardOf('pilgrim')) =>
  given.redis.xAdd(pointsKey(shard), '*', fields)
const asideOf = async () => {
  const rows = await given.sql`SELECT position, reason FROM tracking.set_aside ORDER BY entry_id, position`
  return rows.map(({ position, reason }) => [position, reason])
}

test('an invalid point is set aside with its reason, and all valid ones around it are stored', async () => {
  await add(entry({ u: 'first' }), shardOf('first'))
  await add(entry({ u: 'no user' }))
  await add(entry({ k: 'x' }))
  await add(entry({ s: 'nul\u0000' }))
  await add(entry({ r: 'then' }))
  await add(entry({ p: '[[' }))
  await add(entry({ p: '{}' }))
  await add({ nothing: 'at all' })
  await add(entry({ u: 'pilgrim' }), (shardOf('pilgrim') + 1) % 16)
  await add(
    entry({
      p: JSON.stringify([
        [now - 2_000, 24, 120, null, null, null, null],
        [now - 3_000, 91, 120, null, null, null, null],
        'no tuple',
        [now + 2 * 86_400_000, 24, 120, null, null, null, null],
        [now - 4_000, 24, 120, null, null, null, null, 'own\u0000'],
        [now - 5_000, 24, 120, null, null, null, null, null, '\ud800'],
      ]),
    }),
  )
  await service.flusher.flush()
  expect(
    (await given.sql`SELECT user_id FROM tracking.points ORDER BY user_id`).map(({ user_id }) => user_id),
  ).toEqual(['first', 'pilgrim'])
  const aside = await asideOf()
  expect(aside.filter(([position]) => position === -1)).toHaveLength(8)
  expect(aside.filter(([position]) => position !== -1)).toEqual([
    [1, 'the point is invalid'],
    [2, 'not a point'],
    [3, 'the point is future'],
    [4, 'the source is no text'],
    [5, 'the note is no text'],
  ])
  for (let shard = 0; shard < 16; shard++) expect(await given.redis.xLen(pointsKey(shard))).toBe(0)
  const [kept] =
    await given.sql`SELECT entry->>'text' AS text FROM tracking.set_aside WHERE reason LIKE 's %'`
  expect(JSON.parse(kept?.text)).toMatchObject({ s: 'nul\u0000', u: 'pilgrim' })
})

test('a point that only PostgreSQL refuses is found by halving; the rest of the batch is stored', async () => {
  await given.sql`ALTER TABLE tracking.points ADD CONSTRAINT no_thirteen CHECK (lat <> 13)`
  await given.sql`TRUNCATE tracking.set_aside`
  const track = (i: number, lat: number) =>
    entry({ p: JSON.stringify([[now - 100_000 - i * 60_000, lat, 120, null, null, null, null]]) })
  for (let i = 0; i < 40; i++) await add(track(i, i === 7 || i === 33 ? 13 : 24 + i / 100))
  await service.flusher.flush()
  const [{ n } = { n: 0 }] =
    await given.sql`SELECT count(*)::int AS n FROM tracking.points WHERE user_id = 'pilgrim'`
  expect(n).toBe(39)
  const aside = await asideOf()
  expect(aside.map(([, reason]) => reason)).toEqual(Array(2).fill(expect.stringContaining('no_thirteen')))
  const [track0] =
    await given.sql`SELECT points, needs_rebuild FROM tracking.tracks WHERE user_id = 'pilgrim'`
  expect(track0).toEqual({ points: 39, needs_rebuild: false })
})

test('a sync with points that PostgreSQL refuses loses only those: the phone has the answer that the others are stored', async () => {
  await given.sql`TRUNCATE tracking.set_aside`
  const lats = [24, 13, 24.01, 24.02, 24.03, 13, 24.04]
  const points = lats.map((lat, i) => [now - 900_000 + i * 100_000, lat, 120, null, null, null, null])
  const user = 'half-sound'
  await add(entry({ u: user, n: '7', p: JSON.stringify([...points, 'no tuple']) }), shardOf(user))
  await service.flusher.flush()
  const stored = await given.sql`SELECT lat FROM tracking.points WHERE user_id = ${user} ORDER BY recorded_at`
  expect(stored.map(({ lat }) => lat)).toEqual([24, 24.01, 24.02, 24.03, 24.04])
  const thirteen = expect.stringContaining('no_thirteen')
  expect(await asideOf()).toEqual([
    [1, thirteen],
    [5, thirteen],
    [7, 'not a point'],
  ])
  const [track] =
    await given.sql`SELECT points, walked_km + motorized_km AS km FROM tracking.tracks WHERE user_id = ${user}`
  expect(track?.points).toBe(5)
  expect(track?.km).toBeCloseTo(4.448, 3)
  for (let shard = 0; shard < 16; shard++) expect(await given.redis.xLen(pointsKey(shard))).toBe(0)
})

test('points of a day whose partition was dropped are stored, not set aside', async () => {
  await given.sql`TRUNCATE tracking.set_aside`
  const day = new Date(now - 1_000).toISOString().slice(0, 10).replaceAll('-', '')
  await given.sql.unsafe(`DROP TABLE tracking.points_${day}`)
  await service.post('/track/sync', {
    userId: 'late',
    points: [{ lat: 24, lng: 120, recordedAt: now - 1_000 }],
  })
  await service.flusher.flush()
  expect(await asideOf()).toEqual([])
  expect(await given.sql`SELECT 1 FROM tracking.points WHERE user_id = 'late'`).toHaveLength(1)
})

test('points with the smallest numbers of JSON are stored, not set aside', async () => {
  await given.sql`TRUNCATE tracking.set_aside`
  const tiny = [5e-324, 1e-310, 1e-46, 1e-40]
  const place = { lat: 24, lng: 120, accuracy: 5, speed: 5, altitude: 5, heading: 5 }
  const fields = ['lat', 'lng', 'accuracy', 'speed', 'altitude', 'heading'] as const
  const smallest = fields.flatMap((field) => tiny.map((value) => ({ ...place, [field]: value })))
  const points = smallest.map((point, i) => ({ ...point, recordedAt: now - 1_000_000 + i * 40_000 }))
  expect((await service.post('/track/sync', { userId: 'tiny-sync', points })).status).toBe(200)
  for (const [i, point] of smallest.entries())
    expect((await service.post('/checkin', { userId: `tiny-${i}`, ...point })).status).toBe(202)
  const judged = async () => {
    await service.flusher.flush()
    const [{ n } = { n: 0 }] = await given.sql`
      SELECT (SELECT count(*) FROM tracking.points WHERE user_id LIKE 'tiny-%')::int
           + (SELECT count(*) FROM tracking.set_aside)::int AS n`
    return n === 2 * smallest.length
  }
  await until(judged, { what: 'a verdict on every point' })
  expect(await asideOf()).toEqual([])
})
