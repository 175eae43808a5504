import { expect, test } from 'bun:test'
import { linksOf } from './faults.ts'
import { openLinks } from './links.ts'

const ENVIRONMENT = {
  REDIS_URL: 'redis://somebody:secret@127.0.0.1:6379/0',
  TRACKING_URL: 'unix:/run/tracking.sock,unix:/run/tracking-2.sock',
  LINE_API_BASE: 'http://127.0.0.1:9000',
  LINE_DATA_API_BASE: 'http://localhost:9000',
  LINE_LOGIN_BASE: 'http://127.0.0.1:9000',
}
const portOf = (url: string | undefined): string => new URL(url ?? '').port

test('each of several copies is reached through a link of its own, as is each caller’s', async () => {
  const links = openLinks(linksOf(2))
  const gateway = (await links.reroute('gateway', ENVIRONMENT)).TRACKING_URL?.split(',') ?? []
  const bot = (await links.reroute('line-bot-2', ENVIRONMENT)).TRACKING_URL?.split(',') ?? []
  expect(new Set([...gateway, ...bot].map(portOf)).size).toBe(4)
  expect((await links.reroute('gateway', ENVIRONMENT)).TRACKING_URL).toBe(gateway.join())
  await links.close()
})

test('the bot calls LINE’s hosts by their names through one link; other processes keep their addresses', async () => {
  const links = openLinks(linksOf(1))
  const { LINE_API_BASE: api, LINE_DATA_API_BASE: data } = await links.reroute('line-bot', ENVIRONMENT)
  expect([new URL(api ?? '').hostname, new URL(data ?? '').hostname]).toEqual(['127.0.0.1', 'localhost'])
  expect(portOf(data)).toBe(portOf(api))
  expect(portOf(api)).not.toBe('9000')
  const { LINE_API_BASE: untouched, REDIS_URL: redis } = await links.reroute('gateway', ENVIRONMENT)
  expect(untouched).toBe(ENVIRONMENT.LINE_API_BASE)
  expect(redis).not.toBe(ENVIRONMENT.REDIS_URL)
  await links.close()
})
