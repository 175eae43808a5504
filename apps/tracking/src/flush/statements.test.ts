import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { checkRows } from '@palanquin/db/rows'
import { shardOf } from '@palanquin/domain/ids'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Service, type Stores, stores, tracking, untilFlushed, untilTaken } from '../../test/harness.ts'
import { PointRow, READ_PAGE, READ_WAITING, WaitingRow } from './rebuild/statements.ts'
import { READ_TRACKS, TrackRow } from './statements.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const POINTS = 450 // two checkpoints
const HOUR_MS = 3_600_000
let given: Stores
let service: Service
let db: Database
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
  db = connectDatabase({
    url: given.database.url,
    name: 'statements',
    log: createLog({ service: 'test', level: 'silent' }),
    deadlineMs: TEST_TIMEOUT_MS,
  })
  const startMs = Date.now() - 24 * HOUR_MS
  const points = Array.from({ length: POINTS }, (_, i) => ({
    lat: 24 + i / 1e4,
    lng: 120.6,
    recordedAt: startMs + i * 60_000,
    ...(i % 2 ? { accuracy: 5, speed: 1.2 } : {}),
  }))
  await untilTaken(() => service.post('/track/sync', { userId: 'long', points }))
  await service.post('/checkin', { userId: 'short', lat: 24, lng: 120, recordedAt: startMs })
  await untilFlushed(service)
})
afterAll(async () => {
  await Promise.all([service.close(), db.close()])
  await given.close()
})

test('the rows of tracks are what their schema says, with a position and without', async () => {
  await given.sql`INSERT INTO tracking.tracks (user_id, shard, version, state, last_seen_at)
    VALUES ('empty', ${shardOf('empty')}, 1, '{}', now())`
  const rows = checkRows(TrackRow, await db.query(READ_TRACKS, [['long', 'short', 'empty', 'unknown']]))
  expect(rows.map(({ user_id, points }) => [user_id, points]).sort()).toEqual([
    ['empty', 0],
    ['long', POINTS],
    ['short', 1],
  ])
})

test('the rows of a rebuild are what their schemas say, with a checkpoint and without', async () => {
  const waiting = async (rebuildFrom: Date | null) => {
    await given.sql`UPDATE tracking.tracks SET needs_rebuild = true, rebuild_from = ${rebuildFrom} WHERE user_id = 'long'`
    return checkRows(WaitingRow, await db.query(READ_WAITING, [shardOf('long'), [], 10]))
  }
  expect(await waiting(null)).toEqual([{ user_id: 'long', at: null, open_from: null, state: null }])
  expect((await waiting(new Date()))[0]).toMatchObject({ user_id: 'long', at: expect.any(Date) })
  const points = checkRows(PointRow, await db.query(READ_PAGE, ['long', '-infinity', 'infinity', 0, 1_000]))
  expect(points).toHaveLength(POINTS)
})
