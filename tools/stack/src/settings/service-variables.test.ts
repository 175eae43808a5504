import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { LauncherError } from '../launcher-error.ts'
import { entryOf } from '../units/entries.ts'
import { environmentFor, readVariables } from './service-variables.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const SERVICES = ['tracking', 'map', 'engagement', 'media', 'line-bot', 'gateway'] as const
const read = Promise.all(SERVICES.map(async (name) => ({ name, names: await readVariables(entryOf(name)) })))

test.each([
  ['tracking', ['DATABASE_URL', 'PSEUDONYM_SECRET', 'JOURNAL_DIR']],
  ['map', ['DATABASE_URL', 'PSEUDONYM_SECRET']],
  ['engagement', ['DATABASE_URL', 'TRACKING_URL']],
  ['media', ['DATABASE_URL', 'S3_SECRET_ACCESS_KEY']],
  ['line-bot', ['DATABASE_URL', 'LINE_CHANNEL_ACCESS_TOKEN']],
  ['gateway', ['<BRAND>_ADMIN_TOKEN', 'TLS_KEY_FILE']],
])('the variables of %s are known from its own config', async (service, names) => {
  const found = (await read).find(({ name }) => name === service)
  expect(found?.names).toEqual(expect.arrayContaining(names))
})

test('each secret is read only by the processes that need it', async () => {
  const all = await read
  const readers = (variable: string) =>
    all.flatMap(({ name, names }) => (names.includes(variable) ? [name] : []))
  expect(readers('LINE_CHANNEL_SECRET')).toEqual(['line-bot'])
  expect(readers('LINE_CHANNEL_ACCESS_TOKEN')).toEqual(['line-bot'])
  expect(readers('S3_SECRET_ACCESS_KEY')).toEqual(['media'])
  expect(readers('<BRAND>_ADMIN_TOKEN')).toEqual(['gateway'])
  expect(readers('DATABASE_URL')).not.toContain('gateway')
})

test('a process gets the variables that it reads, its tokens under their brand, and those of the runtime', () => {
  const all = {
    EVENT_BRAND: 'white-sand',
    WHITE_SAND_ADMIN_TOKEN: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    HTTPS_PROXY: 'c',
    TZ: 'UTC',
    PORT: '0',
  }
  expect(environmentFor(['<BRAND>_ADMIN_TOKEN', 'PORT', 'HOST'], all)).toEqual({
    WHITE_SAND_ADMIN_TOKEN: 'a',
    TZ: 'UTC',
    PORT: '0',
  })
  expect(environmentFor(['LINE_API_BASE'], all)).toEqual({ HTTPS_PROXY: 'c', TZ: 'UTC' })
})

test('a config that does not list its variables is an error, and the process is not started without them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-variables-'))
  writeFileSync(join(folder, 'config.ts'), 'export const OTHER = 1')
  await expect(readVariables(join(folder, 'main.ts'))).rejects.toThrow(LauncherError)
  rmSync(folder, { recursive: true })
})
