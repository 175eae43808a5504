import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking } from '../../test/harness.ts'
import { aggregateTimeZone } from '../rollup/time-zone.ts'
import { createFlusher } from './flusher.ts'
import { lastFlush } from './last-flush.ts'
import { flushMetrics } from './metrics.ts'
import { Pace } from './pace.ts'
import { pointsPartitions } from './partitions.ts'
import { STORE_BATCH } from './statements.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const log = createLog({ service: 'test', level: 'silent' })
/** More than what is stored at once however it is ordered. */
const SYNCS = 60
const POINTS_A_SYNC = 100
const POINTS = SYNCS * POINTS_A_SYNC
const BOUNDS = { entries: 64, points: 150 }

let given: Stores
let service: Service
let db: Database
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
  db = connectDatabase({ url: given.database.url, name: 'gentle', log })
})
afterAll(async () => {
  await Promise.all([service.close(), db.close()])
  await given.close()
})

let groups = 0
async function sync(syncs: number, points: number): Promise<void> {
  const group = `group-${groups++}`
  const recordedAt = (at: number) => Date.now() - 3_600_000 + at * 30_000
  for (let n = 0; n < syncs; n++) {
    const walk = Array.from({ length: points }, (_, at) => ({
      lat: 24 + at * 1e-4,
      lng: 120.6,
      accuracy: 5,
      recordedAt: recordedAt(at),
    }))
    const answer = await service.post('/track/sync', { userId: `${group}-${n}`, points: walk })
    expect(answer).toMatchObject({ status: 200, body: { data: { rejected: [] } } })
  }
}
const stored = async () => (await given.sql`SELECT count(*)::int AS points FROM tracking.points`)[0]?.points

/** A flusher on the service's stores, and what it does: points by batch, and statements of batches under way. */
function watched(rest: (ms: number) => Promise<void>) {
  const seen = { batches: [] as number[], underWay: 0, mostUnderWay: 0 }
  const counted: Database = {
    ...db,
    queryAs: async (schema, sql, ...rest) => {
      if (sql !== STORE_BATCH) return db.queryAs(schema, sql, ...rest)
      seen.mostUnderWay = Math.max(seen.mostUnderWay, ++seen.underWay)
      return db.queryAs(schema, sql, ...rest).finally(() => {
        seen.underWay--
      })
    },
  }
  const metrics = flushMetrics(createMetrics('tracking'))
  const flusher = createFlusher({
    db: counted,
    redis: given.redis,
    log,
    driftGuard: false,
    instance: 'gentle',
    now: Date.now,
    tokenOf: erasureTokens('secret'),
    failPoint: () => {},
    publish: async () => {},
    last: lastFlush(given.redis),
    partitions: pointsPartitions(db),
    zone: aggregateTimeZone(db, 'Asia/Taipei'),
    metrics: { ...metrics, stored: (outcome) => seen.batches.push(outcome.points) },
    gentle: () => Pace.gentle({ bounds: BOUNDS, clock: { nowMs: performance.now.bind(performance), rest } }),
  })
  return { flusher, seen }
}

test('a scheduled flush stores one bounded batch at a time, and lets everything else have its turn between two', async () => {
  await sync(SYNCS, POINTS_A_SYNC)
  const before = await stored()
  let rests = 0
  let answered = 0
  const { flusher, seen } = watched(async () => {
    expect(seen.underWay).toBe(0)
    rests++
    // A rest is long enough for a whole request, and the flush does not go on without it.
    expect((await service.get('/internal/health')).status).toBe(200)
    answered++
  })
  await flusher.flushIfFree()
  expect(await stored()).toBe(before + POINTS)
  expect(seen.batches.reduce((sum, points) => sum + points, 0)).toBe(POINTS)
  expect(Math.max(...seen.batches)).toBeLessThan(BOUNDS.points + POINTS_A_SYNC)
  expect(seen.mostUnderWay).toBe(1)
  // What is read and what is removed rests as well.
  expect(rests).toBeGreaterThan(seen.batches.length)
  expect(answered).toBe(rests)
})

test('who wants a flush at once does not wait for the rests of one that runs, and every point is stored once', async () => {
  await sync(SYNCS, POINTS_A_SYNC)
  const before = await stored()
  let isResting = false
  const { flusher, seen } = watched(() => {
    isResting = true
    return new Promise<void>(() => {})
  })
  const scheduled = flusher.flushIfFree()
  await until(() => isResting, { what: 'a rest' })
  const gently = flusher.flush({ gently: true })
  expect(await flusher.flush()).toMatchObject({ flushed: 0 })
  await Promise.all([scheduled, gently])
  expect(await stored()).toBe(before + POINTS)
  expect(seen.batches.reduce((sum, points) => sum + points, 0)).toBe(POINTS)
})

test('a scheduled flush of little is as fast as one that somebody waits for', async () => {
  await sync(20, 2)
  const before = await stored()
  const { flusher } = watched(() => Promise.reject(new Error('a rest after a small batch')))
  await flusher.flushIfFree()
  expect(await stored()).toBe(before + 40)
})

test('a flush on demand is urgent, unless the call says that it may be gentle', async () => {
  await sync(1, 2)
  expect((await service.post('/internal/flush', { gently: true })).body.data).toMatchObject({ flushed: 2 })
  expect((await service.post('/internal/flush', { gently: 'yes' })).status).toBe(400)
})
