import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { shardOf } from '@palanquin/domain/ids'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { ARRIVED_HEADER } from '@palanquin/service/http/headers'
import { searchFiles } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { eraseAt, figuresWithout, otherOfShard, storeSearch, walk } from '../../test/erasure-harness.ts'
import {
  type MapProcess,
  mapOf,
  type Service,
  type Stores,
  stores,
  tracking,
  untilFlushed,
  untilTaken,
} from '../../test/harness.ts'
import { appendCheckin } from '../buffer/append-checkin.ts'
import { packPoint } from '../buffer/entry.ts'
import { countKey, duplicateKey, erasedKey, pendingKey, pointsKey, waitingKey } from '../buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const tokenOf = erasureTokens('pseudonym-secret-of-the-tests')
let given: Stores
let service: Service
let otherProcess: Service
let map: MapProcess
let found: ReturnType<typeof storeSearch>
beforeAll(async () => {
  given = await stores()
  found = storeSearch(given)
  service = await tracking(given)
  otherProcess = await tracking(given, { env: { JOURNAL_DIR: `${given.folder}/other` } })
  map = await mapOf(given)
})
afterAll(async () => {
  await Promise.all([service.close(), otherProcess.close(), map.close()])
  await given.close()
})

const sync = (userId: string, points: object[], on = service) =>
  untilTaken(() => on.post('/track/sync', { userId, source: 'auto', points }))
const checkin = (userId: string, lat: number, on = service) =>
  on.post('/checkin', { userId, lat, lng: 120.6 })
const erase = (userId: string, on = service) => eraseAt(on, userId)
const flush = () => untilFlushed(service)
const buffered = (userId: string) =>
  until(async () => Number(await given.redis.lLen(pendingKey(userId))) > 0, {
    what: `a check-in of ${userId}`,
  })

let userId = ''
beforeEach(() => {
  userId = `U${randomUUID().replaceAll('-', '')}`
})

test('nothing names an erased participant, the figures of others stay, and sums fall by exactly their share', async () => {
  const other = otherOfShard(userId)
  await sync(other, walk(24.1))
  await flush()
  const before = await figuresWithout(given, userId)

  await sync(userId, walk(24.1))
  await sync(userId, [{ lat: 24.2, lng: 120.6, recordedAt: (walk(24)[3]?.recordedAt ?? 0) + 500 }]) // late: a rebuild
  await checkin(userId, 24.15)
  await buffered(userId)
  await flush()
  await given.sql`INSERT INTO tracking.set_aside (shard, entry_id, position, reason, entry) VALUES
    (${shardOf(userId)}, '1-1', -1, 'bad', ${given.sql.json({ text: JSON.stringify({ u: userId, p: 'x' }) })}),
    (${shardOf(userId)}, '1-2', -1, 'bad', ${given.sql.json({ text: JSON.stringify({ u: other, p: 'x' }) })})`
  await sync(
    userId,
    walk(24.4, 5).map((point) => ({ ...point, recordedAt: point.recordedAt + 1_000 })),
  )
  await sync(other, [{ lat: 24.3, lng: 120.6, recordedAt: Date.now() - 60_000 }])
  await checkin(userId, 24.16)
  await buffered(userId)
  expect((await found(userId)).length).toBeGreaterThan(10)

  const { erased } = await erase(userId)
  expect(erased).toMatchObject({ points: 62, tracks: 1, bufferedPoints: 6, setAside: 1 })
  expect(await found(userId)).toEqual([])
  expect(await figuresWithout(given, userId)).toEqual(before)
  expect(Number(await given.redis.get(countKey(shardOf(userId))))).toBe(1)
  expect(await given.redis.xLen(pointsKey(shardOf(userId)))).toBe(1)
  await flush()
  expect(await found(userId)).toEqual([])
  const [kept] = await given.sql`SELECT points FROM tracking.tracks WHERE user_id = ${other}`
  expect(kept?.points).toBe(61)
  expect((await erase(userId)).erased).toEqual({
    points: 0,
    tracks: 0,
    hours: 0,
    setAside: 0,
    events: 0,
    bufferedPoints: 0,
  })
})

test('what was received before an erasure and reaches Redis later is dropped; what is received after it counts', async () => {
  const receivedAt = Date.now()
  const { event } = await erase(userId)
  const point = packPoint(
    {
      kind: 'checkin',
      recordedAt: receivedAt,
      lat: 24.5,
      lng: 120.6,
      source: 'checkin',
      accuracy: null,
      speed: null,
      altitude: null,
      heading: null,
    },
    'checkin',
  )
  const late = { id: randomUUID(), userId, source: 'checkin', receivedAt, point }
  for (const mode of ['live', 'replay'] as const)
    expect(await appendCheckin(service.redis, late, { token: event.mark, mode, deadlineMs: 60_000 })).toBe(
      'erased',
    )
  expect(await found(userId)).toEqual([])
  await checkin(userId, 24.5)
  await buffered(userId)
  await flush()
  const [track] = await given.sql`SELECT checkins FROM tracking.tracks WHERE user_id = ${userId}`
  expect(track?.checkins).toBe(1)
})

test('an entry from before the erasure that is still in the buffer (Redis came back without the token) is not stored', async () => {
  const receivedAt = Date.now()
  await erase(userId)
  await given.redis.del(erasedKey(shardOf(userId)))
  const tuple = JSON.stringify([[receivedAt, 24.5, 120.6, null, null, null, null]])
  await given.redis.xAdd(pointsKey(shardOf(userId)), '*', {
    u: userId,
    k: 't',
    s: 'auto',
    r: String(receivedAt),
    n: '1',
    p: tuple,
  })
  await flush()
  expect(await found(userId)).toEqual([])
})

test('the same place within a minute is no repeat of an erased check-in', async () => {
  await checkin(userId, 24.5)
  await buffered(userId)
  await flush()
  await erase(userId)
  expect(await given.redis.exists(duplicateKey(userId, 24.5, 120.6))).toBe(0)
  await checkin(userId, 24.5)
  await buffered(userId)
})

test('whatever is received between the begin and the end of an erasure is void, and what comes after it counts', async () => {
  const begun = await untilTaken(() => service.post('/internal/erase', { userId }))
  const { closedUntil } = begun.body.data as { closedUntil: number }
  const late = { userId, points: walk(24.2, 3) }
  const headers = { [ARRIVED_HEADER]: String(Date.now()) }
  expect((await sync(userId, walk(24.1, 3))).status).toBe(200)
  expect((await checkin(userId, 24.1)).status).toBe(202)
  const end = await service.post('/internal/erase/end', { userId, closedUntil })
  const { event } = end.body.data as { event: { at: string } }
  await until(() => Date.now() > Date.parse(event.at), { what: 'the end of the erasure' })
  for (const path of ['/internal/imported-points', '/track/sync'])
    expect((await service.post(path, late, headers)).status).toBe(200)
  const checkedIn = { userId, lat: 24.3, lng: 120.6, source: 'line' }
  expect((await service.post('/internal/checkin', checkedIn, headers)).status).toBe(202)
  await flush()
  expect(await given.sql`SELECT 1 FROM tracking.points WHERE user_id = ${userId}`).toHaveLength(0)
  await sync(userId, walk(24.1, 4))
  await flush()
  expect(await given.sql`SELECT 1 FROM tracking.points WHERE user_id = ${userId}`).toHaveLength(4)
})

test('an erasure waits for statements that began before it and cannot see it', async () => {
  const before = await given.sql.reserve()
  try {
    await before`BEGIN`
    await before`SELECT pg_current_xact_id()`
    let isErased = false
    const erasing = erase(userId).then(() => {
      isErased = true
    })
    const mark = tokenOf(userId)
    await until(
      async () => (await given.sql`SELECT 1 FROM tracking.erasures WHERE mark = ${mark}`).length > 0,
      {
        what: 'the tombstone',
      },
    )
    expect(isErased).toBe(false)
    await before`COMMIT`
    await erasing
  } finally {
    before.release()
  }
})

test('an erasure succeeds while flushes run all the time, and nothing of the participant comes back', async () => {
  const other = otherOfShard(userId)
  let going = true
  const flushing = (async () => {
    while (going) await flush()
  })()
  for (let round = 0; round < 5; round++) {
    await Promise.all([sync(userId, walk(24.1 + round / 10, 20)), sync(other, walk(25 + round / 10, 20))])
    await erase(userId, round % 2 === 0 ? service : otherProcess)
  }
  going = false
  await flushing
  await flush()
  expect(await found(userId)).toEqual([])
})

test('the map and the journals of other processes drop the participant once the erasure is published', async () => {
  await checkin(userId, 24.5, otherProcess)
  await buffered(userId)
  const shown = async () => JSON.stringify((await map.get('/data', { 'x-internal-tier': '3' })).body)
  await until(async () => (await shown()).includes(userId), { what: 'them on the map' })
  const { event } = await erase(userId)
  expect(searchFiles(`${given.folder}/other`, [userId])).not.toEqual([])
  const { publish } = await import('@palanquin/events/publish')
  const data = { shard: shardOf(userId), mark: event.mark, at: event.at, upTo: event.upTo }
  await publish(service.redis, { id: randomUUID(), type: 'participant.erased', at: event.at, data })
  await until(async () => !(await shown()).includes(userId), { what: 'them off the map' })
  await until(async () => (await found(userId)).length === 0, { what: 'their lines out of the journal' })
})

test('an erased participant with unflushed syncs is no longer listed as waiting', async () => {
  await sync(userId, walk(24.1, 3))
  expect(await given.redis.sIsMember(waitingKey(shardOf(userId)), userId)).toBe(1)
  await erase(userId)
  expect(await given.redis.sIsMember(waitingKey(shardOf(userId)), userId)).toBe(0)
})

test('while PostgreSQL is away an erasure is a 503 that has changed nothing', async () => {
  await sync(userId, walk(24.1, 3))
  const away = await tracking(given, {
    env: { JOURNAL_DIR: `${given.folder}/away`, DATABASE_URL: 'postgres://unknown:x@127.0.0.1:9/nothing' },
  })
  expect((await away.post('/internal/erase', { userId })).status).toBe(503)
  await away.close()
  expect(await given.redis.hExists(erasedKey(shardOf(userId)), tokenOf(userId))).toBe(0)
  expect((await erase(userId)).erased).toMatchObject({ bufferedPoints: 3 })
})
