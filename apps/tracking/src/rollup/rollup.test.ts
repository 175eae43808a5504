import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { createLog } from '@palanquin/service/log'
import { rollupFaults } from '@palanquin/testing/faults/rollups'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Stores, stores, tracking } from '../../test/harness.ts'
import { eraseFromRollups } from './erase.ts'
import { aggregateTimeZone } from './time-zone.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const DAY_MS = 86_400_000
let given: Stores
beforeAll(async () => {
  given = await stores()
})
afterAll(() => given.close())

/** A walk of some 20 hours that begins three days ago, the same for every participant. */
const walkOf = (userId: string) => ({
  userId,
  points: Array.from({ length: 240 }, (_, i) => ({
    lat: 24 + i * 0.001,
    lng: 120.6,
    recordedAt: Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS + i * 300_000,
  })),
})

test('hours and days are those of EVENT_TIMEZONE, also where they do not begin with those of UTC', async () => {
  const service = await tracking(given, { env: { EVENT_TIMEZONE: 'Asia/Kathmandu' } })
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS - 5.75 * 3_600_000
  const points = [-1, 0, 3_599_999, 3_600_000].map((ms, i) => ({
    lat: 24 + i * 0.01,
    lng: 120.6,
    recordedAt: midnight + ms,
  }))
  await service.post('/track/sync', { userId: 'in-nepal', points })
  await service.flusher.flush()
  await service.close()
  const hours = await given.sql`SELECT hour, day::text, points FROM tracking.participant_hours ORDER BY hour`
  const day = (ms: number) => new Date(midnight + 5.75 * 3_600_000 + ms).toISOString().slice(0, 10)
  expect([...hours]).toEqual([
    { hour: new Date(midnight - 3_600_000), day: day(-1), points: 1 },
    { hour: new Date(midnight), day: day(0), points: 2 },
    { hour: new Date(midnight + 3_600_000), day: day(0), points: 1 },
  ])
  const days = await given.sql`SELECT day::text, active FROM tracking.days ORDER BY day`
  expect([...days]).toEqual([
    { day: day(-1), active: 1 },
    { day: day(0), active: 1 },
  ])
  await erase('in-nepal')
})

/** What the statement of an erasure does to points, tracks and rollups. */
const erase = (userId: string) =>
  given.sql.unsafe(
    `WITH erased_points AS (DELETE FROM tracking.points WHERE user_id = $1 RETURNING lat, lng),
          erased_track AS (DELETE FROM tracking.tracks WHERE user_id = $1),
          ${eraseFromRollups({ userId: '$1', shard: '$2' })}
     SELECT 1`,
    [userId, shardOf(userId)],
  )

test('an erased participant’s share is removed from hours, days and cells without a trace', async () => {
  const service = await tracking(given)
  const [first = '', second = ''] = sameShard()
  const remaining = ['kept', first]
  for (const userId of [...remaining, second]) await service.post('/track/sync', walkOf(userId))
  await service.flusher.flush()
  await service.close()
  await erase(second)
  expect(await rollupFaults(given.sql)).toEqual([])
  // The journal replayed to this service what Redis had not on its disk yet.
  for (const userId of [...remaining, 'in-nepal']) await erase(userId)
  for (const table of ['participant_hours', 'hours', 'days', 'cells'])
    expect([table, ...(await given.sql.unsafe(`SELECT * FROM tracking.${table}`))]).toEqual([table])
})

/** Two participants whose rows are sums in the same shard. */
function sameShard(): string[] {
  const names = Array.from({ length: 100 }, (_, i) => `participant-${i}`)
  return names.filter((name) => shardOf(name) === shardOf('participant-0'))
}

test('a time zone that PostgreSQL does not know fails the whole flush and sets no point aside', async () => {
  const db = connectDatabase({
    url: given.database.url,
    name: 'zone',
    log: createLog({ service: 'test', level: 'silent' }),
  })
  await expect(aggregateTimeZone(db, 'Asia/Nowhere').ensure()).rejects.toThrow(
    /Asia\/Nowhere \(EVENT_TIMEZONE\)/,
  )
  await aggregateTimeZone(db, 'Asia/Taipei').ensure()
  await db.close()
})
