import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { LauncherError } from '../launcher-error.ts'
import { homeAt, openHome } from '../run-state/home.ts'
import { openStores } from '../units/stores.ts'
import { redisMemory } from './redis-memory.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const GIGABYTE = 1024 ** 3
const folder = mkdtempSync(join(tmpdir(), 'palanquin-redis-memory-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('Redis may use four tenths of the machine’s memory, and never too little to work', () => {
  expect(redisMemory({}, 10 * GIGABYTE)).toBe(`${4 * GIGABYTE}`)
  expect(redisMemory({}, GIGABYTE / 4)).toBe(`${GIGABYTE / 4}`)
})

test('REDIS_MAXMEMORY wins; a value that is not a size is refused', () => {
  for (const size of ['2gb', '500MB', '268435456'])
    expect(redisMemory({ REDIS_MAXMEMORY: size }, GIGABYTE)).toBe(size.toLowerCase())
  for (const size of ['lots', '0', '-1', '2 gb', '50%', '2gb\nsave 1 1'])
    expect(() => redisMemory({ REDIS_MAXMEMORY: size }, GIGABYTE)).toThrow(LauncherError)
})

test('the Redis that `up` starts has that limit and evicts nothing', async () => {
  const home = homeAt(folder)
  openHome(home)
  const stores = openStores(home, { DATABASE_URL: 'postgres://nowhere', REDIS_MAXMEMORY: '300mb' })
  const [unit] = stores.units
  const running = await unit?.start({ detail: () => {}, signal: undefined })
  try {
    const redis = new Bun.RedisClient(stores.addresses().redisUrl)
    const settingOf = (name: string) => redis.send('CONFIG', ['GET', name])
    expect(await settingOf('maxmemory')).toEqual({ maxmemory: `${300 * 1024 ** 2}` })
    expect(await settingOf('maxmemory-policy')).toEqual({ 'maxmemory-policy': 'noeviction' })
    redis.close()
  } finally {
    await running?.stop()
  }
})
