import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SCHEMAS } from '@palanquin/backup/tables'
import { dataOf } from '@palanquin/stack/api'
import { takeDown } from '@palanquin/stack/lifecycle/take-down'
import { PIXEL_URL } from '@palanquin/stack/testing/pixel'
import { runLauncher, runLauncherWith } from '@palanquin/stack/testing/run-launcher'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { isRedisCluster, testRedis } from '@palanquin/testing/redis'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'

/** Flushed only on demand: what a backup must include is in Redis alone. */
/** No flush by itself; what has rested is packed at once, so a backup holds points of both forms. */
const NEVER = { FLUSH_SCHEDULE: '0 0 1 1 *', PACK_SCHEDULE: '* * * * * *' }
const PARTICIPANTS = ['U-one', 'U-two', 'U-three']

const folder = mkdtempSync(join(process.env.TEST_JOURNEYS_DIR ?? tmpdir(), 'palanquin-backup-'))
const backup = join(folder, 'backup')
let stack: ThrowawayStack

/** A home starts its own Redis; on a cluster every command needs its addresses. */
async function newRedis(): Promise<Record<string, string>> {
  if (!isRedisCluster) return {}
  const { url, close } = await testRedis()
  clusters.push(close)
  return { REDIS_URL: url }
}
const clusters: (() => Promise<void>)[] = []
let redis: Record<string, string>

const PATHS = [
  ...PARTICIPANTS.map((userId) => `/user/${userId}`),
  ...[
    '/feedback',
    '/feedback/status',
    '/survey',
    '/photos/count?userId=U-one',
    '/admin/users',
    '/admin/surveys',
  ],
  ...['/admin/carbon', '/admin/timeline', '/admin/roles', '/admin/status', '/admin/clusters?zoom=12&of=all'],
  '/admin/users/U-one/track?format=geojson',
]
const PublicMap = Type.Object({ points: Type.Array(Type.Object({ id: Type.String() })) })

/** The responses to what a participant or an organiser can request. */
async function answersOf(stack: ThrowawayStack): Promise<Record<string, unknown>> {
  const { api } = stack
  const answers: Record<string, unknown> = {}
  for (const path of PATHS) {
    const { status, body } = await api.get(path, path.startsWith('/admin') ? api.as('owner') : {})
    answers[path] = { status, body }
  }
  // The order of movement is unknown to a process that has just loaded all participants.
  answers['/data'] = dataOf(PublicMap, await api.get('/data')).points.toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  )
  for (const path of pictures) answers[path] = await pictureOf(stack, path)
  return answers
}

/** The bytes of an image; a busy machine may take several requests to draw it. */
async function pictureOf({ running }: ThrowawayStack, path: string): Promise<string> {
  const { url, caFile } = running()
  const ask = () => fetch(`${url}/api/event${path}`, { tls: { ca: readFileSync(caFile, 'utf8') } })
  let bytes = ''
  const shown = async () => {
    const answer = await ask()
    bytes = Buffer.from(await answer.arrayBuffer()).toString('base64')
    return answer.status === 200
  }
  await until(shown, { what: path })
  return bytes
}

const pictures: string[] = []

beforeAll(async () => {
  redis = await newRedis()
  // Set for this start only: backup and restore run in shells without it.
  stack = await startThrowawayStack({ ...NEVER, ...redis, PSEUDONYM_SECRET: `of our own # '0123456789'` })
  const { api } = stack
  const nowMs = Date.now()
  for (const [index, userId] of PARTICIPANTS.entries()) {
    await api.post('/user/sync', { userId, displayName: `香客 ${index}` })
    await api.post('/privacy', { userId, consent: true })
    const points = Array.from({ length: 20 }, (_, at) => ({
      lat: 24.5 + index / 10 + at / 1_000,
      lng: 120.7,
      recordedAt: nowMs - 3 * 86_400_000 + at * 60_000,
    }))
    expect((await api.post('/track/sync', { userId, points })).status).toBe(200)
    expect((await api.post('/checkin', { userId, lat: 24.6, lng: 120.7 + index })).status).toBe(202)
  }
  await api.post('/user/phone', { userId: 'U-one', phone: '0912345678' })
  await api.post('/admin/roles', { userId: 'U-two', role: 'volunteer' }, api.as('owner'))
  const image = { image: PIXEL_URL }
  let screenshot = ''
  const uploaded = async () => {
    const { body } = await api.post('/feedback-upload', image)
    screenshot = /"filename":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? ''
    return screenshot !== ''
  }
  await until(uploaded, { what: 'a screenshot' })
  await api.post('/feedback', { userId: 'U-one', category: 'praise', message: '一路平安\n謝謝', screenshot })
  pictures.push(`/feedback-image/${screenshot}.png`, '/og/U-one.png')
  await api.flush()
  for (const path of pictures) await pictureOf(stack, path)
  expect((await api.post('/checkin', { userId: 'U-two', lat: 24.7, lng: 120.9 })).status).toBe(202)
})
afterAll(async () => {
  await stack.close()
  for (const close of clusters) await close()
  rmSync(folder, { recursive: true, force: true })
})

test('a backup of a running stack is private, and contains what only the buffer held', async () => {
  const { code, out } = await runLauncher('backup', backup, '--home', stack.home.folder)
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('3 participants, 64 points') })
  for (const name of readdirSync(backup, { recursive: true, encoding: 'utf8' })) {
    const found = statSync(join(backup, name))
    expect({ name, mode: found.mode & 0o077 }).toEqual({ name, mode: 0 })
  }
  const text =
    readFileSync(join(backup, 'secrets.env'), 'utf8') + readFileSync(join(backup, 'manifest.json'), 'utf8')
  const { tokens, internalToken } = stack.running()
  for (const secret of [...Object.values(tokens), internalToken]) expect(text).not.toContain(secret)
  // A backup with half of the schemas would otherwise be noticed at its restore.
  const schemas = await stack.sql<{ name: string }[]>`
    SELECT nspname AS name FROM pg_namespace
     WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public', 'drizzle') ORDER BY name`
  expect(schemas.map(({ name }) => name)).toEqual(SCHEMAS)
})

test('a backup never replaces another, and a restore never goes into a home that runs or has data', async () => {
  const again = await runLauncher('backup', backup, '--home', stack.home.folder)
  expect(again).toMatchObject({ code: 1, out: expect.stringContaining('is not empty') })
  const up = await runLauncher('restore', backup, '--home', stack.home.folder)
  expect(up).toMatchObject({
    code: 1,
    out: expect.stringContaining(`./palanquin down --home ${stack.home.folder} first`),
  })
})

test('a restored home gives the same responses, and the same images byte by byte', async () => {
  const before = await answersOf(stack)
  const home = mkdtempSync(join(folder, 'home-'))
  const another = await newRedis()
  expect(await runLauncherWith(another, 'restore', backup, '--home', home)).toMatchObject({ code: 0 })
  const restored = await startThrowawayStack({ ...NEVER, ...another }, { folder: home })
  try {
    expect(await answersOf(restored)).toEqual(before)
    // It works: new points are accepted, numbered and counted on.
    const { api } = restored
    await api.post('/checkin', { userId: 'U-one', lat: 24.9, lng: 120.9 })
    await api.post('/feedback', { category: 'other', message: 'after' })
    await api.flush()
    expect((await api.profile('U-one')).checkins).toBe(2)
  } finally {
    await restored.close()
  }
})

test('PostgreSQL lost, Redis not: what was acknowledged since the last flush is restored too', async () => {
  const { api, home } = stack
  expect((await api.post('/checkin', { userId: 'U-three', lat: 24.91, lng: 120.91 })).status).toBe(202)
  await until(async () => (await api.profile('U-three')).checkins === 2, {
    what: 'the check-in in the buffer',
  })
  await takeDown(home)
  rmSync(join(home.folder, 'pg'), { recursive: true })
  expect(await runLauncherWith(redis, 'restore', backup, '--home', home.folder)).toMatchObject({ code: 0 })
  const twice = await runLauncherWith(redis, 'restore', backup, '--home', home.folder)
  expect(twice).toMatchObject({
    code: 1,
    out: expect.stringContaining('This database already has participants'),
  })
  const restored = await startThrowawayStack({ ...NEVER, ...redis }, { folder: home.folder })
  await restored.api.flush()
  expect((await restored.api.profile('U-three')).checkins).toBe(2)
  expect((await restored.api.profile('U-one')).checkins).toBe(1)
  await restored.sql.end()
})

test('a damaged backup is refused before anything is changed', async () => {
  const file = join(backup, 'postgres', 'engagement.participants.ndjson.gz')
  appendFileSync(file, 'x')
  const home = mkdtempSync(join(folder, 'home-'))
  const { code, out } = await runLauncher('restore', backup, '--home', home)
  expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('is damaged') })
  expect(readdirSync(home)).toEqual([])
})
