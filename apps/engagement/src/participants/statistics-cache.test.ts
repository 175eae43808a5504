import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { LevelKm } from '@palanquin/domain/level'
import { createLog } from '@palanquin/service/log'
import { untilWritten } from '@palanquin/testing/redis-server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { bufferOf } from '../../test/buffer.ts'
import { keysOf, startTestService, type TestService } from '../../test/service.ts'
import { createStatisticsCache } from './statistics-cache.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** A photo shows whether the cache was used: inserting one drops no entry. */
const addPhoto = (userId: string) =>
  service.sql`INSERT INTO media.photos (user_id, object_key) VALUES (${userId}, gen_random_uuid()::text)`
const photosOf = async (userId: string) => (await service.data(`/user/${userId}`)).photos
const sync = (userId: string, displayName = 'A') =>
  service.data('/user/sync', { body: { userId, displayName } })

test('snapshots are cached for at most 60 seconds', async () => {
  await sync('cached')
  expect(await photosOf('cached')).toBe(0)
  await addPhoto('cached')
  expect(await photosOf('cached')).toBe(0)
  const leftMs = await service.redis.pTTL(keysOf('cached').statistics)
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(60_000)
  await service.redis.del(keysOf('cached').statistics)
  expect(await photosOf('cached')).toBe(1)
})

test('every own write of a participant drops the entry at once, even one that changes nothing', async () => {
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

test('a check-in or a flush of the shard invalidates the entry at once', async () => {
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

test('a reader that read before a write cannot cache the old profile after it', async () => {
  await sync('race', 'old')
  const old = (await service.cache.read('race'))?.fresh
  await service.redis.del(keysOf('race').statistics)
  const state = await service.cache.read('race')
  if (!old || !state || state.fresh) throw new Error('Redis is there, and nothing is cached')
  await sync('race', 'new')
  await service.redis.set(keysOf('race').statistics, 'dropped as by the write')
  await service.cache.write('race', state, old)
  expect(await service.data('/user/race')).toMatchObject({ displayName: 'new' })
})

test('unknown ids are not cached: a million invented ids leave no key', async () => {
  for (let i = 0; i < 50; i++) expect((await service.call(`/user/unknown-${i}`)).status).toBe(404)
  expect(await service.redis.keys('*unknown*')).toEqual([])
})

test('an entry of another version of the service is ignored', async () => {
  const userId = 'other-version'
  await sync(userId)
  const key = keysOf(userId).statistics
  const entry = (await service.redis.get(key)) ?? ''
  const [head = '', basis, response] = entry.split('\n')
  for (const other of [
    JSON.stringify({ version: ' ', snapshot: { km: 3 } }),
    `an${head}\n${basis}\n${response}`,
    `${head} \n${basis}\n${response}`,
    head,
  ]) {
    await service.redis.set(key, other)
    expect(await photosOf(userId)).toBe(0)
    expect(await service.redis.get(key)).toBe(entry)
  }
})

test('an entry with levels by other kilometres is ignored', async () => {
  await sync('levels')
  const { redis } = service
  const log = createLog({ service: 'test', level: 'silent' })
  const cacheOf = (levelKm: LevelKm) =>
    createStatisticsCache({ redis, log, levelKm, redisDeadlineMs: TEST_TIMEOUT_MS })
  expect((await cacheOf('total').read('levels'))?.fresh).toBeDefined()
  expect(await cacheOf('walked').read('levels')).toMatchObject({ stale: null })
})

test('a drop that Redis missed is repeated when it is back', async () => {
  await sync('owed', 'old')
  expect(await photosOf('owed')).toBe(0)
  const server = service.redisServer
  if (!server) throw new Error('the test service has no Redis of its own')
  await untilWritten(() => service.redis.info('persistence'))
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
