import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@palanquin/testing/until'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-service-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function started(env: Record<string, string>) {
  const entry = join(import.meta.dir, '../test/service-process.ts')
  return Bun.spawn([process.execPath, entry], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** Nothing listens there: the service starts without its Redis. */
const WELL = { REDIS_URL: 'redis://127.0.0.1:1', INTERNAL_TOKEN: 'token' }

const eventsOf = (lines: string): unknown[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event)
    // A machine may be slow to refuse the connection.
    .filter((event) => !String(event).startsWith('redis.'))

test('a service serves until SIGTERM, and closes its stores last', async () => {
  const readyFile = join(folder, 'ready.json')
  const service = started({ ...WELL, READY_FILE: readyFile })
  await until(() => existsSync(readyFile), { what: 'the service' })
  const { url } = JSON.parse(readFileSync(readyFile, 'utf8'))
  expect(await (await fetch(url)).text()).toBe('served')
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  const events = eventsOf(await new Response(service.stdout).text())
  expect(events.slice(-4)).toEqual([
    'service.started',
    'service.stopping',
    'stores.closed',
    'service.stopped',
  ])
})

test('every problem of the configuration is printed, and the service does not start', async () => {
  const service = started({ PORT: 'many' })
  expect(await service.exited).toBe(1)
  const said = await new Response(service.stderr).text()
  for (const name of ['REDIS_URL', 'INTERNAL_TOKEN', 'PORT']) expect(said).toContain(name)
})

test('a service whose parts cannot be made ends with 1', async () => {
  const service = started({ ...WELL, LOG_LEVEL: 'trace' })
  expect(await service.exited).toBe(1)
  expect(eventsOf(await new Response(service.stdout).text())).toContain('service.start_failed')
})
