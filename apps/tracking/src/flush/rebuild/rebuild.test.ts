import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { trackOf } from '@palanquin/domain/distance'
import { shardOf } from '@palanquin/domain/ids'
import type { Point } from '@palanquin/domain/point'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { rollupFaults } from '@palanquin/testing/faults/rollups'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'
import { aggregateTimeZone } from '../../rollup/time-zone.ts'
import { flushMetrics } from '../metrics.ts'
import { Pace } from '../pace.ts'

import { rebuildShard } from './rebuild.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'test', level: 'silent' })
const POINTS_A_SYNC = 1_000
const DAY_MS = 86_400_000
const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 10 * DAY_MS

let given: Stores
let service: Service
let guarded: Service
let db: Database
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
  const env = { GPS_DRIFT_GUARD: 'on', JOURNAL_DIR: `${given.folder}/guarded` }
  guarded = await tracking(given, { env })
  db = connectDatabase({ url: given.database.url, name: 'rebuild', log })
})
afterAll(async () => {
  await Promise.all([service.close(), guarded.close(), db.close()])
  await given.close()
})

const pointAt = (second: number, over: Partial<Point> = {}): Point => ({
  kind: 'track',
  recordedAt: startMs + second * 1000,
  lat: 24 + second * 1e-5,
  lng: 120.6,
  accuracy: 5,
  speed: null,
  altitude: null,
  heading: null,
  source: 'auto',
  ...over,
})

async function send(userId: string, points: readonly Point[], on = service): Promise<void> {
  for (let from = 0; from < points.length; from += POINTS_A_SYNC) {
    const answer = await on.post('/track/sync', { userId, points: points.slice(from, from + POINTS_A_SYNC) })
    expect(answer).toMatchObject({ status: 200, body: { data: { rejected: [], duplicates: 0 } } })
  }
}

const stored = async (userId: string) => {
  const [row] = await given.sql`
    SELECT walked_km, motorized_km, points, checkins, needs_rebuild, rebuild_from, rebuild_marked_at
      FROM tracking.tracks WHERE user_id = ${userId}`
  return row
}
const expected = (points: readonly Point[], driftGuard = false) => {
  const { walkedKm, motorizedKm, points: count, checkins } = trackOf(points, { driftGuard })
  const settled = { needs_rebuild: false, rebuild_from: null, rebuild_marked_at: null }
  return { walked_km: walkedKm, motorized_km: motorizedKm, points: count, checkins, ...settled }
}
const checkpointsOf = async (userId: string): Promise<{ at: Date; points: number }[]> =>
  await given.sql<{ at: Date; points: number }[]>`
    SELECT at, (state->>'points')::integer AS points FROM tracking.checkpoints WHERE user_id = ${userId} ORDER BY at`

/** So many participants whose rows one pair of statements rebuilds. */
const ofOneShard = (name: string, count: number): string[] =>
  Array.from({ length: count * 64 }, (_, i) => `${name}-${i}`)
    .filter((userId) => shardOf(userId) === 5)
    .slice(0, count)

/** A day's walk with rests, rides and jumps. */
function journey(seed: number, count: number): Point[] {
  const random = seededRandom(seed)
  let [second, lat] = [0, 24]
  return Array.from({ length: count }, () => {
    const roll = random.next()
    second += roll < 0.05 ? random.integer(60, 900) : random.integer(1, 45)
    lat +=
      roll < 0.6
        ? random.between(0, 4e-4)
        : roll < 0.9
          ? random.between(-1e-4, 1e-4)
          : random.between(0, 4e-3)
    const jump = random.next() < 0.02 ? 3 : 0
    return pointAt(second, { lat: lat + jump, accuracy: random.next() < 0.1 ? null : random.integer(3, 120) })
  })
}

for (const name of ['off', 'on'] as const)
  test(`points that come late or take another's place, anywhere, have the result of one sorted pass from any checkpoint (drift guard ${name})`, async () => {
    const on = name === 'on' ? guarded : service
    for (const seed of [1, 2, 3]) {
      const userId = `late-${name}-${seed}`
      const random = seededRandom(seed)
      const all = journey(seed, 2_600)
      const delayed = new Set(Array.from({ length: 40 }, () => random.integer(0, all.length - 1)))
      let sent = all.filter((_, at) => !delayed.has(at))
      await send(userId, sent, on)
      await untilFlushed(on)
      const checkpoints = await checkpointsOf(userId)
      expect(checkpoints.length).toBeGreaterThan(4)
      for (let round = 0; round < 12; round++) {
        const late = random.shuffle([...delayed]).slice(0, random.integer(1, 3))
        for (const at of late) delayed.delete(at)
        const again = sent[random.integer(0, sent.length - 1)]
        const better = again ? [{ ...again, accuracy: 2, lng: again.lng + 0.001 }] : []
        const fresh = [...late.flatMap((at) => all[at] ?? []), ...better]
        await send(userId, fresh, on)
        sent = [...sent, ...fresh]
        await untilFlushed(on)
        expect(await stored(userId)).toEqual(expected(sent, name === 'on'))
      }
      for (const { at, points } of await checkpointsOf(userId))
        expect(trackOf(sent.filter(({ recordedAt }) => recordedAt <= at.getTime())).points).toBe(points)
    }
    expect(await rollupFaults(given.sql)).toEqual([])
  })

test('one late point costs only what follows the last checkpoint: at most a tenth of the processor time', async () => {
  const users = ofOneShard('long', 24)
  const points = Array.from({ length: 8_000 }, (_, i) => pointAt(i * 60))
  for (const userId of users) await send(userId, points)
  await untilFlushed(service)
  const cost = async (second: number, rebuilt = users.length): Promise<number> => {
    for (const userId of users) await send(userId, [pointAt(second)])
    const began = process.cpuUsage()
    expect((await service.flusher.flush()).rebuilt).toBe(rebuilt)
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000
  }
  const nearEnd = 7_900 * 60 + 30
  const inTime = Math.min(await cost(8_000 * 60, 0), await cost(8_001 * 60, 0), await cost(8_002 * 60, 0))
  const late = Math.min(await cost(nearEnd), await cost(nearEnd + 1), await cost(nearEnd + 2))
  await given.sql`DELETE FROM tracking.checkpoints`
  const fromTheFirst = await cost(nearEnd + 3)
  if (process.env.TEST_SHOW_COST) console.info({ inTime, late, fromTheFirst })
  expect(late - inTime).toBeLessThan((fromTheFirst - inTime) / 10)
  const more = [nearEnd, nearEnd + 1, nearEnd + 2, nearEnd + 3, 8_000 * 60, 8_001 * 60, 8_002 * 60]
  const sent = [...points, ...more.map((second) => pointAt(second))]
  expect(await stored(users[7] ?? '')).toEqual(expected(sent))
})

test('a flush keeps its budget of rebuilds: further tracks wait in the order of their marks, and none waits for ever', async () => {
  const users = ofOneShard('waiting', 6)
  const shard = shardOf(users[0] ?? '')
  const points = Array.from({ length: 300 }, (_, i) => pointAt(i * 60))
  for (const userId of users) await send(userId, points)
  await untilFlushed(service)
  const marks = users.toReversed().entries()
  for (const [age, userId] of marks)
    await given.sql`UPDATE tracking.tracks SET needs_rebuild = true, walked_km = 0, rebuild_from = '-infinity',
      rebuild_marked_at = now() - make_interval(mins => ${60 - age}) WHERE user_id = ${userId}`
  const context = {
    db,
    driftGuard: false,
    zone: aggregateTimeZone(db, 'Asia/Taipei'),
    log,
    metrics: flushMetrics(createMetrics('tracking')),
    pace: Pace.urgent(),
  }
  const waiting = async () =>
    (await given.sql`SELECT user_id FROM tracking.tracks WHERE needs_rebuild ORDER BY user_id`).length
  expect(await rebuildShard(context, shard, { points: 700 })).toBe(3)
  expect(await waiting()).toBe(3)
  for (const userId of users.slice(3)) expect(await stored(userId)).toEqual(expected(points))
  expect(await rebuildShard(context, shard, { points: 0 })).toBe(0)
  expect((await service.flusher.flush()).rebuilt).toBe(3)
  expect(await waiting()).toBe(0)
  for (const userId of users) expect(await stored(userId)).toEqual(expected(points))
})

test('an unreadable row of tracks is recomputed, and the flush of all others continues', async () => {
  const garbage = [
    '{}',
    'null',
    '"cut off"',
    '[1]',
    '{"anchor":null,"noise":"","walkedKm":0}',
    '{"walkedKm":-1}',
  ]
  const points = Array.from({ length: 700 }, (_, i) => pointAt(i * 60))
  const users = garbage.map((_, i) => `garbage-${i}`)
  for (const userId of [...users, 'sound']) await send(userId, points.slice(0, 600))
  await untilFlushed(service)
  for (const [i, state] of garbage.entries())
    await given.sql`UPDATE tracking.tracks SET state = ${state}::text::jsonb WHERE user_id = ${`garbage-${i}`}`
  for (const userId of [...users, 'sound']) await send(userId, points.slice(600))
  expect(await service.flusher.flush()).toMatchObject({ flushed: 7 * 100, rebuilt: 6 })
  for (const userId of [...users, 'sound']) expect(await stored(userId)).toEqual(expected(points))
  const metrics = await (await service.app.fetch(new Request('http://tracking.internal/metrics'))).text()
  expect(metrics).toMatch(/palanquin_flush_unreadable_total\{[^}]*what="track"[^}]*\} 6/)
})

test('an unreadable checkpoint and an invalid place do not hold up the flush of others', async () => {
  const points = Array.from({ length: 1_500 }, (_, i) => pointAt(i * 60))
  for (const userId of ['odd-checkpoint', 'odd-place', 'beside']) await send(userId, points)
  await untilFlushed(service)
  await given.sql`UPDATE tracking.checkpoints SET state = '{}' WHERE user_id = 'odd-checkpoint'`
  await given.sql`
    INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, source, received_at)
    VALUES ('odd-place', ${new Date(startMs + 1_499 * 60_000 + 7)}, 1, 'NaN', 'infinity', 'auto', now())`
  const late = pointAt(1_490 * 60 + 1)
  for (const userId of ['odd-checkpoint', 'odd-place', 'beside']) await send(userId, [late])
  expect((await service.flusher.flush()).rebuilt).toBe(3)
  for (const userId of ['odd-checkpoint', 'odd-place', 'beside'])
    expect(await stored(userId)).toEqual(expected([...points, late]))
  await given.sql`DELETE FROM tracking.points WHERE lat = 'NaN'`
})
