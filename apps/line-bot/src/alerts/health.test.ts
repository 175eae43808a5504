import { afterAll, beforeEach, expect, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { healthReader } from './health.ts'

const WELL = { d1: 'ok', kv: 'ok', r2: 'ok', activity: 'active', lastFlush: '2026-05-01T15:00:00.000Z' }
const T0 = Date.parse(WELL.lastFlush)
/** The health report of each service; null: it is not up. */
let says: Record<'all' | 'media', Record<string, string | null> | null> = { all: WELL, media: WELL }
let nowMs = T0
const world = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answerOf('all') })
const media = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answerOf('media') })
const answerOf = (who: 'all' | 'media') =>
  says[who] ? Response.json({ ok: true, data: says[who] }) : new Response('', { status: 502 })
afterAll(() => Promise.all([world.stop(true), media.stop(true)]))
const address = (server: { port?: number | undefined }) => `http://127.0.0.1:${server.port}`
const reader = () =>
  healthReader({
    addresses: { tracking: address(world), engagement: address(world), media: address(media) },
    internalToken: 'token',
    pingRedis: async () => true,
    now: () => nowMs,
    deadlineMs: TEST_TIMEOUT_MS,
  })
beforeEach(() => {
  nowMs = T0
  says = { all: WELL, media: WELL }
})

test('a service that is still starting is neither a problem nor a recovery until a minute has passed', async () => {
  says.media = null
  const health = reader()
  expect(await health()).toBeNull()
  nowMs += 59_000
  expect(await health()).toBeNull()
  nowMs += 1_000
  expect(await health()).toEqual(['r2'])
  says.media = WELL
  expect(await health()).toEqual([])
})

test('a store in error is a problem while another service is still starting', async () => {
  says = { all: { ...WELL, d1: 'error' }, media: null }
  expect(await reader()()).toEqual(['d1'])
})

test('a service that answered and falls silent is a problem at once', async () => {
  const health = reader()
  expect(await health()).toEqual([])
  says.media = null
  expect(await health()).toEqual(['r2'])
  says.all = null
  expect(await health()).toEqual(['d1', 'r2'])
})

test('a flush that is overdue and has never worked is a problem, and one that worked lately is none yet', async () => {
  const overdue = { ...WELL, flush: 'overdue' }
  says.all = overdue
  expect(await reader()()).toEqual([])
  says.all = { ...overdue, lastFlush: null }
  expect(await reader()()).toEqual(['flush'])
  says.all = { ...overdue, lastFlush: null, activity: 'paused' }
  expect(await reader()()).toEqual([])
})
