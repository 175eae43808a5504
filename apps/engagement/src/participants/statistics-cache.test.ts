import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { bufferOf } from '../../test/buffer.ts'
import { keysOf, startTestService, type TestService } from '../../test/service.ts'
import { readSnapshot } from './snapshot.ts'

setDefaultTimeout(HANG_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** A photo shows whether an answer was read anew: nothing tells the cache of one. */
const addPhoto = (userId: string) =>
  service.sql`INSERT INTO media.photos (user_id, object_key) VALUES (${userId}, gen_random_uuid()::text)`
const photosOf = async (userId: string) => (await service.data(`/user/${userId}`)).photos
const sync = (userId: string, displayName = 'A') =>
  service.data('/user/sync', { body: { userId, displayName } })

test('figures are kept for at most 60 seconds', async () => {
  await sync('kept')
  expect(await photosOf('kept')).toBe(0)
  await addPhoto('kept')
  expect(await photosOf('kept')).toBe(0)
  const leftMs = await service.redis.pTTL(keysOf('kept').statistics)
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(60_000)
  await service.redis.del(keysOf('kept').statistics)
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
    await service.data(path, { body: { userId, ...fields } })
    expect(await photosOf(userId)).toBe(photos)
    await addPhoto(userId)
    photos++
    await service.data(path, { body: { userId, ...fields } })
    expect(await photosOf(userId)).toBe(photos)
  }
})

test('a check-in, and a flush of the shard, make them invalid at once', async () => {
  const buffer = bufferOf(service, 'moving')
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
  const state = await service.cache.read('race')
  if (!state) throw new Error('Redis is there')
  const old = await readSnapshot(service.db, 'race', [])
  await sync('race', 'new')
  await service.redis.set(keysOf('race').statistics, 'dropped as by the write')
  await service.cache.write('race', state, old)
  expect(await service.data('/user/race')).toMatchObject({ displayName: 'new' })
})

test('strangers are not kept: a million invented ids leave no key', async () => {
  for (let i = 0; i < 50; i++) expect((await service.call(`/user/stranger-${i}`)).status).toBe(404)
  expect(await service.redis.keys('*stranger*')).toEqual([])
})

test('an entry that another version of the service wrote is passed over', async () => {
  await sync('other-version')
  await service.redis.set(
    keysOf('other-version').statistics,
    JSON.stringify({ mark: ' ', snapshot: { km: 3 } }),
  )
  expect(await photosOf('other-version')).toBe(0)
})

test('a drop that Redis missed is made up for when it is back', async () => {
  await sync('owed', 'old')
  expect(await photosOf('owed')).toBe(0)
  const server = service.redisServer
  if (!server) throw new Error('a stand has a Redis of its own')
  await server.kill9()
  await until(() => !service.redis.isReady, { what: 'the loss of Redis' })
  expect(await sync('owed', 'new')).toMatchObject({ displayName: 'new' })
  await server.restart()
  await until(() => service.redis.isReady, { what: 'Redis again' })
  expect(await service.redis.get(keysOf('owed').statistics)).toContain('"old"')
  expect(await service.data('/user/owed')).toMatchObject({ displayName: 'new' })
  await service.cache.retryDrops()
  expect(await service.redis.get(keysOf('owed').statistics)).toStartWith('dropped')
  expect(await service.data('/user/owed')).toMatchObject({ displayName: 'new' })
})
