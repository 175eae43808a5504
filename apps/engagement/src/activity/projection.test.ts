import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startTestService, type TestService } from '../../test/service.ts'
import { activityProjection } from './projection.ts'
import { activityStore } from './store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const put = (status: string) => service.data('/admin/status', { method: 'PUT', body: { status }, tier: 2 })
const projected = async () => JSON.parse((await service.redis.get('activity')) ?? 'null')

test('a lost or overwritten key is restored', async () => {
  const paused = await put('paused')
  await service.redis.del('activity')
  expect(await service.projection.project()).toBe(true)
  expect(await projected()).toEqual(paused)
  await service.redis.set('activity', '{"status":"active"}')
  expect(await service.projection.project()).toBe(true)
  expect(await projected()).toEqual(paused)
})

test('a reader of an older row cannot overwrite a newer key', async () => {
  await put('active')
  await service.redis.del('activity')
  const store = activityStore(service.db)
  const release = Promise.withResolvers<void>()
  let reads = 0
  const slow = activityProjection({
    redis: service.redis,
    redisDeadlineMs: TEST_TIMEOUT_MS,
    log: createLog({ service: 'test', level: 'silent' }),
    store: {
      ...store,
      read: async () => {
        const row = await store.read()
        if (++reads === 1) await release.promise
        return row
      },
    },
  })
  const projecting = slow.project()
  await until(() => reads === 1, { what: 'the slow reader holds the old row' })
  const paused = await put('paused')
  release.resolve()
  expect(await projecting).toBe(true)
  expect(reads).toBe(2)
  expect(await projected()).toEqual(paused)
  expect(slow.latest()).toMatchObject({ status: 'paused' })
})

test('after concurrent changes the key equals the row', async () => {
  for (let round = 0; round < 10; round++) {
    await Promise.all(['paused', 'active', 'paused', 'active', 'paused', 'active'].map(put))
    expect(await projected()).toEqual(await service.data('/admin/status', { tier: 1 }))
  }
})

test('times of changes are strictly increasing, even when the last one is ahead of the clock', async () => {
  await put('paused')
  await service.sql`UPDATE engagement.activity SET since = '2126-01-01T00:00:00.000Z'`
  expect(await put('active')).toMatchObject({ since: '2126-01-01T00:00:00.001Z' })
})
