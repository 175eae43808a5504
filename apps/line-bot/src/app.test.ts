import { expect, test } from 'bun:test'
import { ConfigurationError } from '@palanquin/service/config'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { createLineBot } from './app.ts'
import { readLineBotConfig } from './config.ts'

const environment = { INTERNAL_TOKEN: 'token', REDIS_URL: 'redis://127.0.0.1:1' }
const LINE = { LINE_CHANNEL_SECRET: 'secret', LINE_CHANNEL_ACCESS_TOKEN: 'access' }

async function readyOf(env: Record<string, string>) {
  const { line, INTERNAL_TOKEN: internalToken } = readLineBotConfig(env)
  const log = createLog({ service: 'line-bot', level: 'silent' })
  const app = createLineBot({ line, internalToken, log, metrics: createMetrics('line-bot') })
  const answer = await app.handle(new Request('http://line-bot/ready'))
  return { status: answer.status, body: JSON.stringify(await answer.json()) }
}

test('without LINE the bot is ready, and says that LINE is not configured', async () => {
  for (const env of [
    environment,
    { ...environment, LINE_CHANNEL_SECRET: '', LINE_CHANNEL_ACCESS_TOKEN: '' },
  ]) {
    const { status, body } = await readyOf(env)
    expect(status).toBe(200)
    expect(body).toContain('LINE is not configured')
  }
})

test('with LINE it says so, and none of its secrets', async () => {
  const { status, body } = await readyOf({ ...environment, ...LINE })
  expect(status).toBe(200)
  expect(body).toContain('LINE is configured')
  for (const secret of Object.values(LINE)) expect(body).not.toContain(secret)
})

test('one half of the LINE configuration refuses to start and names the other half', () => {
  const { LINE_CHANNEL_SECRET, LINE_CHANNEL_ACCESS_TOKEN } = LINE
  expect(() => readLineBotConfig({ ...environment, LINE_CHANNEL_SECRET })).toThrow(ConfigurationError)
  expect(() => readLineBotConfig({ ...environment, LINE_CHANNEL_SECRET })).toThrow(
    'LINE_CHANNEL_ACCESS_TOKEN is missing',
  )
  expect(() => readLineBotConfig({ ...environment, LINE_CHANNEL_ACCESS_TOKEN })).toThrow(
    'LINE_CHANNEL_SECRET is missing',
  )
})
