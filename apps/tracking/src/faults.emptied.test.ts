import { expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { searchFiles } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Child, startChild } from '../test/child.ts'
import { storeSearch } from '../test/erasure-harness.ts'
import { checkin, faultHarness, sync } from '../test/fault-harness.ts'
import { type Service, untilFlushed } from '../test/harness.ts'
import { participants } from '../test/participants.ts'
import { erasedKey, pendingKey } from './buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()

const NEVER = '0 0 1 1 *'
/** Redis has what was sent so far. */
const taken = (service: Service) =>
  until(() => service.journal.stats().waiting === 0, { what: 'Redis has everything' })
/** It has looked at Redis: what it has never seen there it does not miss. */
const started = async (env = {}): Promise<Service> => {
  const service = await harness.start(env)
  await untilFlushed(service)
  return service
}
const empty = async () => {
  await harness.given.redis.flushAll()
  await harness.given.redis.scriptFlush()
}

test('Redis comes back empty: what was answered and not yet flushed is there once, check-ins and syncs', async () => {
  const service = await started()
  for (let i = 0; i < 10; i++) await checkin(service, 'pilgrim', i)
  expect((await sync(service, 'pilgrim', 100)).status).toBe(200)
  await taken(service)
  const pending = async () => (await harness.given.redis.lRange(pendingKey('pilgrim'), 0, -1)).length
  expect(await pending()).toBe(10)
  await empty()
  await until(async () => (await pending()) === 10, { what: 'the pending check-ins again, without a flush' })
  expect(await harness.flushed(service)).toBe(110)
  await empty()
  expect(await harness.flushed(service)).toBe(110)
})

test('Redis comes back empty again and again under load, also while the process is dead: 0 lost, 0 doubled', async () => {
  const book = ledger()
  let child: Child | undefined
  const post = async (path: string, body: unknown) => (await child?.post(path, body)) ?? null
  const load = participants({ count: 6, seed: 31, book, post })
  const ends = [
    { flushSchedule: '* * * * * *', end: (running: Child) => running.kill9() },
    { flushSchedule: NEVER, end: (running: Child) => running.kill9() },
    { flushSchedule: NEVER, end: (running: Child) => running.stop() },
  ]
  try {
    for (const { flushSchedule, end } of ends) {
      await harness.given.redis.del('flush:lock')
      child = await startChild(harness.given, { FLUSH_SCHEDULE: flushSchedule })
      const acknowledged = () => book.check([]).acknowledged
      const before = acknowledged()
      await until(() => acknowledged() >= before + 40, { what: 'some load' })
      await empty()
      await Bun.sleep(500)
      await end(child)
      await empty()
    }
    child = await startChild(harness.given, { FLUSH_SCHEDULE: NEVER })
  } finally {
    await load.stop()
  }
  await untilFlushed(child)
  const { acknowledged, indeterminate: _, ...found } = await auditPoints(harness.given.sql, book)
  expect(found).toEqual(NOTHING_WRONG)
  expect(acknowledged).toBeGreaterThan(100)
})

test('Redis comes back empty: each process replays its own journal, whichever flushes', async () => {
  const [one, other] = [await started(), await started({ JOURNAL_DIR: `${harness.given.folder}/other` })]
  await checkin(one, 'pilgrim', 0)
  await checkin(other, 'pilgrim', 1)
  await sync(other, 'another', 5)
  await Promise.all([taken(one), taken(other)])
  await empty()
  await until(async () => (await harness.flushed(one)) === 7, { what: 'everything of both' })
})

test('Redis comes back empty: a repeat within the minute stays one', async () => {
  const service = await started()
  const at = (agoMs: number) =>
    service.post('/checkin', { userId: 'pilgrim', lat: 24, lng: 120.6, recordedAt: Date.now() - agoMs })
  for (const agoMs of [5_000, 4_000, 3_000]) expect((await at(agoMs)).status).toBe(202)
  await taken(service)
  await empty()
  expect(await harness.flushed(service)).toBe(1)
})

test('Redis comes back empty: an erased participant does not come back, and the journal does not name them', async () => {
  const search = storeSearch(harness.given)
  const service = await started()
  await checkin(service, 'leaver')
  await sync(service, 'leaver', 20)
  await checkin(service, 'stayer')
  await taken(service)
  expect(searchFiles(harness.given.folder, ['leaver'])).not.toEqual([])
  expect((await service.post('/internal/erase', { userId: 'leaver' })).status).toBe(200)
  expect(await search('leaver')).toEqual([])
  await empty()
  expect(await harness.flushed(service)).toBe(1)
  expect(await search('leaver')).toEqual([])
})

test('Redis comes back empty: an erasure also applies to the journal of a process that was dead at the time', async () => {
  const env = { FLUSH_SCHEDULE: NEVER, JOURNAL_DIR: `${harness.given.folder}/sleeper` }
  const sleeper = await startChild(harness.given, env)
  for (const i of [0, 1])
    expect((await sleeper.post('/checkin', { userId: 'leaver', lat: 24 + i, lng: 120 }))?.status).toBe(202)
  const points = [{ lat: 24, lng: 120, recordedAt: Date.now() }]
  expect((await sleeper.post('/track/sync', { userId: 'leaver', points }))?.status).toBe(200)
  await sleeper.kill9()
  const service = await harness.start()
  expect((await service.post('/internal/erase', { userId: 'leaver' })).status).toBe(200)
  await empty()
  const woken = await harness.start(env)
  await taken(woken)
  expect(await harness.flushed(woken)).toBe(0)
  const rows = await harness.given.sql`SELECT 1 FROM tracking.tracks`
  expect(rows).toHaveLength(0)
})

test('Redis comes back empty: the alarm comes, and the erasure tokens do, also where PostgreSQL failed in the first flush after it', async () => {
  const { sql, redis } = harness.given
  const service = await started()
  expect((await service.post('/internal/erase', { userId: 'leaver' })).status).toBe(200)
  await checkin(service, 'pilgrim')
  expect(await harness.flushed(service)).toBe(1)
  await empty()
  await sql`ALTER TABLE tracking.erasures RENAME TO away`
  await expect(service.flusher.flush()).rejects.toThrow()
  await sql`ALTER TABLE tracking.away RENAME TO erasures`
  expect(await harness.flushed(service)).toBe(1)
  const metrics = await (await service.app.fetch(new Request('http://tracking/metrics'))).text()
  expect(metrics).toMatch(/^palanquin_buffer_emptied_total\{.*\} 1$/m)
  expect(await redis.hLen(erasedKey(shardOf('leaver')))).toBe(1)
})
