import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { takeLease } from '@palanquin/events/lease'
import { leaseKey } from '@palanquin/events/stream'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking, untilTaken } from '../../test/harness.ts'
import { pendingKey, pointsKey } from '../buffer/keys.ts'
import { aggregateTimeZone } from '../rollup/time-zone.ts'
import { createFlusher } from './flusher.ts'
import { lastFlush } from './last-flush.ts'
import { flushMetrics } from './metrics.ts'
import { Pace } from './pace.ts'
import { pointsPartitions } from './partitions.ts'
import { STORE_BATCH } from './statements.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const log = createLog({ service: 'test', level: 'silent' })
const SYNCS = 5
const POINTS_A_SYNC = 100
const POINTS = SYNCS * POINTS_A_SYNC
/** Of one shard, so that they share windows. */
const PEOPLE = Array.from({ length: 2_000 }, (_, n) => `walks-${n}`)
  .filter((userId) => shardOf(userId) === 3)
  .slice(0, 30)
const CHECKED_IN = PEOPLE.filter((_, n) => n % 10 === 0)

let given: Stores
let service: Service
let db: Database
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
  db = connectDatabase({ url: given.database.url, name: 'window', log })
})
afterAll(async () => {
  await Promise.all([service.close(), db.close()])
  await given.close()
})

/** All walk the same way, a sync at a time, as phones do that send every minute. */
async function walk({ checkinLat }: { checkinLat: number }): Promise<void> {
  const startMs = Date.now() - 7_200_000
  for (let sync = 0; sync < SYNCS; sync++)
    for (const userId of PEOPLE) {
      const points = Array.from({ length: POINTS_A_SYNC }, (_, n) => {
        const at = sync * POINTS_A_SYNC + n
        return { lat: 24 + at * 2e-4, lng: 120.6, accuracy: 5, recordedAt: startMs + at * 10_000 }
      })
      expect((await untilTaken(() => service.post('/track/sync', { userId, points }))).status).toBe(200)
    }
  for (const userId of CHECKED_IN)
    expect((await service.post('/checkin', { userId, lat: checkinLat, lng: 120.6 })).status).toBe(202)
  await until(() => service.journal.stats().waiting === 0, { what: 'Redis has every check-in' })
}

/** A gentle flusher with small batches; from its `failAt`th on PostgreSQL is away. */
function flusher({ failAt = Number.POSITIVE_INFINITY } = {}) {
  let batches = 0
  const failing: Database = {
    ...db,
    queryAs: async (schema, sql, ...rest) => {
      if (sql === STORE_BATCH && ++batches >= failAt)
        throw new StoreUnavailable('database', new Error('away'))
      return db.queryAs(schema, sql, ...rest)
    },
  }
  const clock = { nowMs: performance.now.bind(performance), rest: async () => {} }
  const bounds = { entries: 64, points: 3 * POINTS }
  return createFlusher({
    db: failing,
    redis: given.redis,
    log,
    driftGuard: false,
    instance: 'window',
    now: Date.now,
    tokenOf: erasureTokens('secret'),
    failPoint: () => {},
    publish: async () => {},
    last: lastFlush(given.redis),
    partitions: pointsPartitions(db),
    zone: aggregateTimeZone(db, 'Asia/Taipei'),
    metrics: flushMetrics(createMetrics('tracking')),
    gentle: () => Pace.gentle({ bounds, clock }),
  })
}

/** A scheduled flush ends without an error where a store is too slow for it: the next one goes on. */
const flushAll = () =>
  until(
    async () => {
      await flusher().flushIfFree()
      return (await given.redis.xLen(pointsKey(3))) === 0
    },
    { what: 'a whole flush' },
  )

const tracks = () =>
  given.sql`SELECT user_id AS "userId", points, checkins, round(walked_km::numeric, 6)::float AS km
              FROM tracking.tracks ORDER BY user_id`

test('a flush that ends in the middle of a window has stored no check-in behind the cursor, and the next one stores everything once', async () => {
  await walk({ checkinLat: 24.1 })
  await flusher({ failAt: 4 }).flushIfFree()
  const half = await tracks()
  expect(half.length).toBeWithin(1, PEOPLE.length)
  expect(half.filter(({ checkins }) => checkins > 0)).toEqual([])
  for (const userId of CHECKED_IN) expect(await given.redis.lLen(pendingKey(userId))).toBe(1)
  const [shard] = await given.sql`SELECT cursor FROM tracking.flush_cursors WHERE shard = 3`
  expect(shard?.cursor).toBe('0-0')

  await flushAll()
  const whole = await tracks()
  expect(whole.map(({ userId }) => userId)).toEqual(PEOPLE.toSorted())
  const [any] = whole.filter(({ checkins }) => checkins === 0)
  expect(any?.km).toBeGreaterThan(10)
  for (const { userId, points, checkins, km } of whole) {
    const expected = CHECKED_IN.includes(userId) ? 1 : 0
    expect([points, checkins]).toEqual([POINTS + expected, expected])
    if (expected === 0) expect(km).toBe(any?.km)
  }
  for (const userId of CHECKED_IN) expect(await given.redis.exists(pendingKey(userId))).toBe(0)
})

test('what a participant sent between two flushes costs one update of the track and one event', async () => {
  // The service's own relay would publish the events and, some seconds later, delete them.
  const lease = { key: leaseKey('tracking'), durationMs: TEST_TIMEOUT_MS }
  await until(() => takeLease(given.redis, lease), { what: 'the lease of the relay' })
  await given.sql`TRUNCATE tracking.points, tracking.tracks, tracking.outbox, tracking.checkpoints`
  await walk({ checkinLat: 24.2 })
  await flushAll()
  const events = await given.sql`SELECT data FROM tracking.outbox WHERE type = 'track.advanced'`
  const published = events.flatMap(({ data }) =>
    data.participants.map(({ userId, points }: { userId: string; points: number }) => [userId, points]),
  )
  const of = (userId: string) => POINTS + (CHECKED_IN.includes(userId) ? 1 : 0)
  expect(published.toSorted()).toEqual(PEOPLE.map((userId) => [userId, of(userId)]).toSorted())
})
