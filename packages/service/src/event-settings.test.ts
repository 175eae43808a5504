import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { testRedis } from '@palanquin/testing/redis'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import {
  eventNameOf,
  followSettings,
  readSettings,
  SETTINGS_KEY,
  withEventSettings,
} from './event-settings.ts'
import { createLog } from './log.ts'
import { connectRedis } from './redis.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'test', level: 'silent' })
let server: Awaited<ReturnType<typeof testRedis>>
beforeAll(async () => {
  server = await testRedis()
})
afterAll(() => server.close())

test('what the owners set stands over the environment at each reading, and the last known while the key is gone', async () => {
  const redis = connectRedis({ url: server.url, name: 'test', log })
  await until(() => redis.isReady, { what: 'a connection to Redis' })
  const followed = followSettings({ redis, log })
  const config = withEventSettings(
    { EVENT_NAME_ZH: '環境', EVENT_NAME_EN: 'Environment', PUBLIC_BASE_URL: undefined, OTHER: 1 },
    followed,
  )
  const name = eventNameOf(config)
  await followed.start?.()
  expect([name['zh-TW'], config.PUBLIC_BASE_URL, config.OTHER]).toEqual(['環境', undefined, 1])
  const set = { name: { zh: '新名', en: 'New' }, publicBaseUrl: 'https://walk.example' }
  await redis.set(SETTINGS_KEY, JSON.stringify(set))
  await until(() => name['zh-TW'] === '新名', { what: 'the new name' })
  expect([name.en, config.PUBLIC_BASE_URL]).toEqual(['New', 'https://walk.example'])
  await redis.del(SETTINGS_KEY)
  await redis.set(SETTINGS_KEY, 'no JSON')
  await redis.set(SETTINGS_KEY, JSON.stringify({ publicBaseUrl: 'https://other.example' }))
  await until(() => config.PUBLIC_BASE_URL === 'https://other.example', { what: 'the other address' })
  expect(name['zh-TW']).toBe('環境')
  await followed.stop?.()
  redis.destroy()
})

test.each([[null], ['null'], ['no JSON'], ['[]'], ['{"densityMin":"5"}']])('%p is no settings', (raw) => {
  expect(readSettings(raw)).toBeNull()
})
