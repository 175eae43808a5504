import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SOON_MS_MAX } from '@palanquin/events/outbox-relay'
import { STREAM_KEY } from '@palanquin/events/stream'
import { createLog } from '@palanquin/service/log'
import { connectRedis } from '@palanquin/service/redis'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

// Real servers and four services start on a busy machine.
const BOOT_MS_MAX = 120_000
setDefaultTimeout(TEST_TIMEOUT_MS)

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const MIGRATE = fileURLToPath(new URL('../../../packages/db/src/main.ts', import.meta.url))
const COPIES = 4
/** On a machine where no response is in time, an event that follows each of so many must do. */
const WITHDRAWALS_MAX = 50
const log = createLog({ service: 'test', level: 'silent' })
const TOKEN = 'an-internal-token-for-tests'

const folder = mkdtempSync(join(tmpdir(), 'palanquin-engagement-'))
const closing: (() => unknown)[] = []
let environment: Record<string, string>
let redis: Awaited<ReturnType<typeof testRedis>>
const copies: { process: Bun.Subprocess; url: string }[] = []

/** A copy of the service as the launcher starts it: the migrations. */
async function startCopy(index: number) {
  const env = {
    ...environment,
    READY_FILE: join(folder, `${index}.json`),
    SOCKET: join(folder, `${index}.sock`),
  }
  const migration = Bun.spawn([process.execPath, MIGRATE], { env, stdout: 'ignore', stderr: 'inherit' })
  expect(await migration.exited).toBe(0)
  const child = Bun.spawn([process.execPath, MAIN], { env, stdout: 'ignore', stderr: 'inherit' })
  closing.unshift(() => child.kill(9))
  const ready = await until(() => JSON.parse(readFileSync(env.READY_FILE, 'utf8')) as { url: string }, {
    what: `copy ${index} listens`,
    timeoutMs: BOOT_MS_MAX,
  })
  await until(async () => (await fetch(`${ready.url}/ready`)).ok, { what: `copy ${index} is ready` })
  return { process: child, url: ready.url }
}

beforeAll(async () => {
  const database = await testDatabase({ migrated: false })
  redis = await testRedis()
  const tracking = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ ok: true, data: {} }),
  })
  closing.push(() => tracking.stop(true), redis.close, database.close)
  environment = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'test',
    LOG_LEVEL: 'fatal',
    PSEUDONYM_SECRET: 'pseudonym-secret-of-the-tests',
    INTERNAL_TOKEN: TOKEN,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    TRACKING_URL: tracking.url.origin,
    MAP_URL: tracking.url.origin,
    MEDIA_URL: tracking.url.origin,
    LINE_BOT_URL: tracking.url.origin,
  }
  copies.push(...(await Promise.all(Array.from({ length: COPIES }, (_, index) => startCopy(index)))))
})
afterAll(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true })
})

const call = (
  copy: number,
  path: string,
  { method = 'POST', body }: { method?: string; body?: object } = {},
) =>
  fetch(`${copies[copy % COPIES]?.url}${path}`, {
    method,
    headers: { 'x-internal-token': TOKEN, 'x-internal-tier': '3', 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

/** A 503 asks for the call to be repeated. */
const written = (...request: Parameters<typeof call>) =>
  until(
    async () => {
      const { status } = await call(...request)
      if (status !== 503) expect(status).toBe(200)
      return status === 200
    },
    { what: request[1] },
  )

const healthOf = async (copy: number) =>
  (await (await call(copy, '/internal/health', { method: 'GET' })).json()) as { activity: string }

const events = async (published: string) => {
  const client = connectRedis({ url: redis.url, name: 'test', log })
  await until(() => client.isReady, { what: 'a connection to Redis' })
  const entries = (await client.xRange(STREAM_KEY, '-', '+')) ?? []
  client.destroy()
  return entries.filter(({ message }) => Object.values(message).join().includes(published))
}

test("four copies that start and migrate at once all serve, and see each other's changes", async () => {
  const userId = 'of-all'
  for (let copy = 0; copy < COPIES; copy++) {
    const displayName = `by ${copy}`
    await written(copy, '/user/sync', { body: { userId, displayName } })
    const seen = async () => (await call(copy + 1, `/user/${userId}`, { method: 'GET' })).json()
    // A drop of the cached profile that a late Redis missed is repeated.
    await until(async () => Bun.deepMatch({ data: { displayName } }, await seen()), {
      what: `copy ${copy + 1} shows the name`,
    })
  }
  await written(0, '/admin/status', { method: 'PUT', body: { status: 'paused' } })
  for (let copy = 0; copy < COPIES; copy++)
    await until(async () => (await healthOf(copy)).activity === 'paused', {
      what: `copy ${copy} knows of the pause`,
    })
})

test('a withdrawal is on the bus before the response', async () => {
  let seen = 0
  for (let participant = 0; seen < 8 && participant < WITHDRAWALS_MAX; participant++) {
    const userId = `withdrawn-${participant}`
    const startedMs = performance.now()
    await written(participant, '/participant-status', { body: { userId, status: 'withdrawn' } })
    // A response that comes later may have waited in vain: its event follows.
    const wasInTime = performance.now() - startedMs < SOON_MS_MAX
    if (wasInTime) seen++
    else await until(async () => (await events(userId)).length > 0, { what: 'the event' })
    expect(await events(userId)).toHaveLength(1)
  }
})

test('concurrent ends through all copies emit one event', async () => {
  // A 503 asks for the call to be repeated.
  const end = async (copy: number) => {
    const answer = await call(copy, '/admin/end-activity', { body: {} })
    return answer.status !== 503 && answer.json()
  }
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, copy) => until(() => end(copy), { what: `an answer of copy ${copy}` })),
  )
  for (const response of answers) expect(response).toEqual(answers[0])
  await until(async () => (await events('activity.ended')).length > 0, { what: 'the end on the bus' })
  expect(await events('activity.ended')).toHaveLength(1)
  expect(await events('"status": "ended"')).toHaveLength(1)
})

test('a direct call without the internal token is 401; probes and metrics are open', async () => {
  const { url } = copies[0] ?? { url: '' }
  for (const path of ['/user/x', '/admin/status', '/internal/health', '/internal/openapi'])
    expect((await fetch(url + path)).status).toBe(401)
  for (const path of ['/live', '/ready', '/metrics'])
    await until(async () => (await fetch(url + path)).status === 200, { what: path })
})

test('every public route is in the service’s part of the API document, with an example', async () => {
  const response = await call(0, '/internal/openapi', { method: 'GET' })
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, object>> }
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  expect(routes.sort()).toEqual([
    'delete /admin/lost/{id}',
    'delete /admin/notices/{id}',
    'delete /admin/places/{id}',
    'delete /admin/route',
    'delete /devices/{id}',
    'delete /share',
    'delete /user/{userId}',
    'get /activity',
    'get /admin/audit',
    'get /admin/carbon',
    'get /admin/find',
    'get /admin/lost',
    'get /admin/notices',
    'get /admin/places',
    'get /admin/roles',
    'get /admin/route',
    'get /admin/settings',
    'get /admin/status',
    'get /admin/surveys',
    'get /admin/timeline',
    'get /admin/users',
    'get /admin/users/{userId}',
    'get /auth/role',
    'get /consent',
    'get /devices',
    'get /feedback',
    'get /feedback/status',
    'get /in/gpslogger/setup/{code}',
    'get /lost/{id}',
    'get /notices',
    'get /places',
    'get /route',
    'get /share',
    'get /share/{token}',
    'get /survey',
    'get /user/{userId}',
    'get /user/{userId}/export',
    'patch /admin/lost/{id}',
    'patch /admin/notices/{id}',
    'patch /admin/places/{id}',
    'patch /admin/route',
    'patch /admin/settings',
    'patch /feedback/{id}',
    'patch /lost/{id}',
    'post /admin/end-activity',
    'post /admin/lost',
    'post /admin/notices',
    'post /admin/places',
    'post /admin/roles',
    'post /admin/route',
    'post /devices',
    'post /devices/{id}/rotate',
    'post /feedback',
    'post /lost',
    'post /participant-status',
    'post /privacy',
    'post /setup-links',
    'post /setup-links/open',
    'post /setup-links/status',
    'post /share',
    'post /submit',
    'post /survey',
    'post /upload/route',
    'post /user/phone',
    'post /user/sync',
    'put /admin/status',
  ])
  for (const methods of Object.values(paths))
    for (const operation of Object.values(methods)) expect(JSON.stringify(operation)).toContain('"example"')
})

test('a stop ends each copy with 0', async () => {
  for (const { process: child } of copies) child.kill('SIGTERM')
  for (const { process: child } of copies) expect(await child.exited).toBe(0)
})
