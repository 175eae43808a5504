import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Stores, stores } from '../../test/harness.ts'
import { takeFlushLock } from './lock.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
beforeAll(async () => {
  given = await stores()
})
beforeEach(() => given.redis.del('flush:lock'))
afterAll(() => given.close())

test('one instance at a time holds the lock, for at most 90 s', async () => {
  const lock = await takeFlushLock(given.redis, 'one')
  expect(lock).toBeDefined()
  expect(await takeFlushLock(given.redis, 'two')).toBeUndefined()
  expect(await given.redis.pTTL('flush:lock')).toBeWithin(80_000, 90_001)
  await lock?.release()
  expect(await takeFlushLock(given.redis, 'two')).toBeDefined()
})

test('an instance that was killed in a flush, or could not release the lock, flushes again at once', async () => {
  await takeFlushLock(given.redis, 'one')
  expect(await takeFlushLock(given.redis, 'one')).toBeDefined()
  expect(await takeFlushLock(given.redis, 'on')).toBeUndefined()
})

test('a lock that another instance has by now is not released', async () => {
  const lock = await takeFlushLock(given.redis, 'one')
  await given.redis.set('flush:lock', 'two:stolen')
  await lock?.release()
  expect(await given.redis.get('flush:lock')).toBe('two:stolen')
})

test('a flush that takes longer keeps its lock, and no other', async () => {
  const lock = await takeFlushLock(given.redis, 'one')
  await given.redis.pExpire('flush:lock', 10_000)
  await lock?.extend()
  expect(await given.redis.pTTL('flush:lock')).toBeWithin(80_000, 90_001)
  await given.redis.set('flush:lock', 'two:stolen', { expiration: { type: 'PX', value: 10_000 } })
  await lock?.extend()
  expect(await given.redis.pTTL('flush:lock')).toBeWithin(0, 10_001)
})
