import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ConfigurationError } from '@palanquin/service/config'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startBot, type TestBot } from '../test/bot-harness.ts'
import { readLineBotConfig } from './config.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const environment = {
  PSEUDONYM_SECRET: 'pseudonym-secret-of-the-tests',
  INTERNAL_TOKEN: 'token',
  REDIS_URL: 'redis://127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  ENGAGEMENT_URL: 'http://127.0.0.1:1',
  TRACKING_URL: 'http://127.0.0.1:1',
  MAP_URL: 'http://127.0.0.1:1',
  MEDIA_URL: 'http://127.0.0.1:1',
}
const LINE = { LINE_CHANNEL_SECRET: 'secret', LINE_CHANNEL_ACCESS_TOKEN: 'access' }

let bot: TestBot
beforeAll(async () => {
  bot = await startBot()
})
afterAll(() => bot.close())

test('without LINE the bot is ready, and says that LINE is not configured', async () => {
  for (const variables of [{}, { LINE_CHANNEL_SECRET: '', LINE_CHANNEL_ACCESS_TOKEN: '' }]) {
    expect(readLineBotConfig({ ...environment, ...variables }).line).toBeNull()
  }
  const { app } = bot.another({ line: null })
  const answer = await app.handle(new Request('http://line-bot/ready'))
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('LINE is not configured')
})

test('with LINE it says so, and none of its secrets', async () => {
  const ready = async () => {
    const answer = await bot.bot.app.handle(new Request('http://line-bot/ready'))
    return answer.status === 200 && answer.text()
  }
  // The first probe may have to open the first connection.
  const body = await until(ready, { what: 'the bot to be ready' })
  expect(body).toContain('LINE is configured')
  for (const secret of [bot.line.channelSecret, bot.line.channelAccessToken])
    expect(body).not.toContain(secret)
})

test('one half of the LINE configuration refuses to start and names the other half', () => {
  const { LINE_CHANNEL_SECRET, LINE_CHANNEL_ACCESS_TOKEN } = LINE
  const read = (variables: Record<string, string>) => () =>
    readLineBotConfig({ ...environment, ...variables })
  expect(read({ LINE_CHANNEL_SECRET })).toThrow(ConfigurationError)
  expect(read({ LINE_CHANNEL_SECRET })).toThrow('LINE_CHANNEL_ACCESS_TOKEN is missing')
  expect(read({ LINE_CHANNEL_ACCESS_TOKEN })).toThrow('LINE_CHANNEL_SECRET is missing')
  expect(read({ ...LINE, LINE_API_BASE: 'no address' })).toThrow('LINE_API_BASE is no address')
})
