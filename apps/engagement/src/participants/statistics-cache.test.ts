import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { bufferOf } from '../../test/buffer.ts'
import { keysOf, type Stand, startStand } from '../../test/stand.ts'
import { readFigures } from './snapshot.ts'

setDefaultTimeout(HANG_MS)

let stand: Stand
beforeAll(async () => {
  stand = await startStand()
})
afterAll(() => stand.close())

/** A photo shows whether an answer was read anew: nothing tells the cache of one. */
const addPhoto = (userId: string) =>
  stand.sql`INSERT INTO media.photos (user_id, object_key) VALUES (${userId}, gen_random_uuid()::text)`
const photosOf = async (userId: string) => (await stand.data(`/user/${userId}`)).photos
const sync = (userId: string, displayName = 'A') =>
  stand.data('/user/sync', { body: { userId, displayName } })

test('figures are kept for at most 60 seconds', async () => {
  await sync('kept')
  expect(await photosOf('kept')).toBe(0)
  await addPhoto('kept')
  expect(await photosOf('kept')).toBe(0)
  const leftMs = await stand.redis.pTTL(keysOf('kept').statistics)
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(60_000)
  await stand.redis.del(keysOf('kept').statistics)
  expect(await photosOf('kept')).toBe(1)
})

test("every write of a participant's own drops them at once, also one that changes nothing", async () => {
  const userId = 'own'
  const writes: [string, object][] = [
    ['/user/sync', { displayName: 'A' }],
    ['/user/phone', { phone: '0912345678' }],
    ['/privacy', { consent: true }],
    ['/participant-status', { status: 'completed' }],
  ]
  let photos = 0
  for (const [path, fields] of [...writes, ...writes]) {
    await stand.data(path, { body: { userId, ...fields } })
    expect(await photosOf(userId)).toBe(photos)
    await addPhoto(userId)
    photos++
    await stand.data(path, { body: { userId, ...fields } })
    expect(await photosOf(userId)).toBe(photos)
  }
})

test('a check-in, and a flush of the shard, make them invalid at once', async () => {
  const buffer = bufferOf(stand, 'moving')
  await sync('moving')
  const moves = [() => buffer.checkin(), () => buffer.checkin(), () => buffer.flush(1), () => buffer.flush(1)]
  for (const [photos, move] of moves.entries()) {
    expect(await photosOf('moving')).toBe(photos)
    await addPhoto('moving')
    expect(await photosOf('moving')).toBe(photos)
    await move()
  }
  expect(await photosOf('moving')).toBe(moves.length)
})

test('who asked the database before a write cannot put the old figures back after it', async () => {
  await sync('race', 'old')
  const look = await stand.cache.look('race')
  if (!look) throw new Error('Redis is there')
  const old = await readFigures(stand.db, 'race', [])
  await sync('race', 'new')
  await stand.redis.set(keysOf('race').statistics, 'dropped as by the write')
  await stand.cache.keep('race', look, old)
  expect(await stand.data('/user/race')).toMatchObject({ displayName: 'new' })
})

test('strangers are not kept: a million invented ids leave no key', async () => {
  for (let i = 0; i < 50; i++) expect((await stand.call(`/user/stranger-${i}`)).status).toBe(404)
  expect(await stand.redis.keys('*stranger*')).toEqual([])
})

test('an entry that another version of the service wrote is passed over', async () => {
  await sync('other-version')
  await stand.redis.set(keysOf('other-version').statistics, JSON.stringify({ mark: ' ', figures: { km: 3 } }))
  expect(await photosOf('other-version')).toBe(0)
})

test('a drop that Redis missed is made up for when it is back', async () => {
  await sync('owed', 'old')
  expect(await photosOf('owed')).toBe(0)
  const server = stand.redisServer
  if (!server) throw new Error('a stand has a Redis of its own')
  await server.kill9()
  await until(() => !stand.redis.isReady, { what: 'the loss of Redis' })
  expect(await sync('owed', 'new')).toMatchObject({ displayName: 'new' })
  await server.restart()
  await until(() => stand.redis.isReady, { what: 'Redis again' })
  expect(await stand.redis.get(keysOf('owed').statistics)).toContain('"old"')
  expect(await stand.data('/user/owed')).toMatchObject({ displayName: 'new' })
  await stand.cache.settle()
  expect(await stand.redis.get(keysOf('owed').statistics)).toStartWith('dropped')
  expect(await stand.data('/user/owed')).toMatchObject({ displayName: 'new' })
})
