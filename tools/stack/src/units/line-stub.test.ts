import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { homeAt, openHome } from '../run-state/home.ts'
import { openLine } from './line-stub.ts'

const PORT = 8443
const home = homeAt(mkdtempSync(join(tmpdir(), 'palanquin-line-')))
openHome(home)
afterAll(() => rmSync(home.folder, { recursive: true }))

test('without LINE=stub no stub is started, and run.json says what is configured', () => {
  const nothing = openLine(home, {}, PORT)
  expect(nothing.units).toEqual([])
  expect(nothing.facts({})).toMatchObject({
    configured: false,
    stubUrl: null,
    apiBase: 'https://api.line.me',
  })
  const settings = {
    LINE_CHANNEL_SECRET: 'secret',
    LINE_CHANNEL_ACCESS_TOKEN: 'token',
    LINE_API_BASE: 'http://a',
  }
  const line = openLine(home, settings, PORT)
  expect(line.settings(settings)).toEqual(settings)
  expect(line.facts(settings)).toMatchObject({
    configured: true,
    channelSecret: 'secret',
    apiBase: 'http://a',
  })
})

test('with an own LINE simulator on this machine, links lead to this machine unless PUBLIC_BASE_URL is set', () => {
  const base = (settings: Record<string, string>) =>
    openLine(home, settings, PORT).settings(settings).PUBLIC_BASE_URL
  for (const host of ['127.0.0.1', 'localhost', '[::1]'])
    expect(base({ LINE_API_BASE: `http://${host}:9000` })).toBe(`https://localhost:${PORT}`)
  expect(base({ LINE_API_BASE: 'http://localhost:9000', PUBLIC_BASE_URL: 'https://w.example' })).toBe(
    'https://w.example',
  )
  expect(base({ LINE_API_BASE: 'http://localhost:9000', TRUST_PROXY: '10.0.0.0/8' })).toBeUndefined()
  for (const elsewhere of ['https://api.line.me', 'http://10.0.0.7:9000', 'https://localhost.example'])
    expect(base({ LINE_API_BASE: elsewhere })).toBeUndefined()
})

test('LINE is stub or empty, and never stub in production', () => {
  expect(() => openLine(home, { LINE: 'real' }, PORT)).toThrow('expected stub')
  expect(() => openLine(home, { LINE: 'stub', NODE_ENV: 'production' }, PORT)).toThrow('production')
})

test('with LINE=stub the simulator runs, the services use it, and it is gone after the stop', async () => {
  const line = openLine(home, { LINE: 'stub' }, PORT)
  const [unit] = line.units
  const running = await unit?.start({ detail: () => {} })
  try {
    const settings = line.settings({ LINE: 'stub' })
    const { stubUrl, pid, channelSecret } = line.facts(settings)
    expect(pid).toBe(running?.pid ?? null)
    expect(settings).toMatchObject({
      LINE_CHANNEL_SECRET: channelSecret,
      PUBLIC_BASE_URL: `https://localhost:${PORT}`,
    })
    expect((await fetch(`${stubUrl}ready`)).status).toBe(200)
    const authorization = `Bearer ${settings.LINE_CHANNEL_ACCESS_TOKEN}`
    const info = (headers: Record<string, string>) =>
      fetch(`${settings.LINE_API_BASE}/v2/bot/info`, { headers })
    expect((await info({})).status).toBe(401)
    expect((await info({ authorization })).status).toBe(200)
  } finally {
    await running?.stop()
  }
  expect(running?.isAlive()).toBe(false)
})
