import { expect, setDefaultTimeout, test } from 'bun:test'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { testPostgres } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { onSmallDisk, smallDisk, whyNoSmallDisk } from '@palanquin/testing/small-disk'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { startChild } from '../test/child.ts'
import { checkin, faultHarness, sync } from '../test/fault-harness.ts'
import type { Service } from '../test/harness.ts'
import { participants } from '../test/participants.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()
const full = test.skipIf(whyNoSmallDisk !== null)

const POSTGRES_MB = 256
/** As small as it can be: two segments of the log, and no reserve that would be written over. */
const SMALL_LOG = { max_wal_size: '32MB', min_wal_size: '32MB' }
const LOG_SEGMENTS_MAX = 50

const disk = async (megabytes: number) => {
  const made = await smallDisk(megabytes)
  harness.cleanUp.push(made.close)
  return made
}
const wholeFlush = (service: Service) =>
  until(async () => (await service.post('/internal/flush')).status === 200, { what: 'a whole flush' })
const health = async (service: Service) =>
  (await service.get('/internal/health')).body.data as {
    d1: string
    kv: string
    bufferSize: number
    lastFlush: string | null
  }

/** Begins one file of its log after another until there is no space for the next. */
async function runOutOfLog(sql: postgres.Sql): Promise<void> {
  const next = () => sql`SELECT pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`.then(() => true)
  for (let segment = 0; segment < LOG_SEGMENTS_MAX; segment++) if (!(await next().catch(() => false))) return
  throw new Error('its log found space')
}

full(
  onSmallDisk(
    'PostgreSQL disk full: the flush stops, the buffer grows, check-ins go on; also through its crash for want of a log, all is there once',
  ),
  async () => {
    const small = await disk(POSTGRES_MB)
    const server = await testPostgres({ folder: small.subfolder('server'), settings: SMALL_LOG })
    harness.cleanUp.push(server.close)
    const sql = postgres(server.url, { max: 2, onnotice: () => {} })
    harness.cleanUp.push(() => sql.end({ timeout: 1 }))
    const service = await harness.start({ DATABASE_URL: server.url })
    const book = ledger()
    const load = participants({ count: 8, seed: 61, book, post: service.post })
    await wholeFlush(service)
    small.fill()
    await until(async () => (await service.post('/internal/flush')).status === 503, { what: 'no space' })
    const before = await health(service)
    expect((await checkin(service, 'meanwhile', 0)).status).toBe(202)
    await until(async () => (await health(service)).bufferSize > before.bufferSize, { what: 'it grows' })
    expect((await health(service)).lastFlush).toBe(before.lastFlush)
    await until(async () => (await health(service)).d1 === 'error', { what: 'the full disk is said' })

    // Nothing is left for its log either: it ends itself rather than lose what it has said is stored.
    await runOutOfLog(sql)
    await until(async () => (await health(service)).d1 === 'error', { what: 'PostgreSQL is away' })
    expect((await checkin(service, 'meanwhile', 1)).status).toBe(202)
    expect((await service.post('/internal/flush')).status).toBe(503)

    small.freeSpace()
    await until(() => server.restart().then(() => true), { what: 'PostgreSQL again' })
    await load.stop()
    await wholeFlush(service)
    const { acknowledged, indeterminate: _, phantom, ...found } = await auditPoints(sql, book)
    expect({ ...found, phantom: [] }).toEqual(NOTHING_WRONG)
    expect(phantom.filter((key) => key.startsWith('meanwhile|'))).toHaveLength(2)
    expect(phantom).toHaveLength(2)
    expect(acknowledged).toBeGreaterThan(100)
    expect(await sql`SELECT 1 FROM tracking.set_aside`).toHaveLength(0)
  },
)

const REDIS_MB = 8

full(
  onSmallDisk('Redis disk full under load: the journal, and through its restart nothing is lost or doubled'),
  async () => {
    const small = await disk(REDIS_MB)
    const server = await testRedis({ folder: small.subfolder('server') })
    harness.cleanUp.push(server.close)
    const service = await harness.start({ REDIS_URL: server.url })
    const book = ledger()
    const load = participants({ count: 8, seed: 62, book, post: service.post })
    await until(async () => (await health(service)).bufferSize > 200, { what: 'some load' })
    small.fill()
    await until(async () => (await health(service)).kv === 'error', { what: 'Redis refuses, and it is said' })
    expect((await sync(service, 'meanwhile')).status).toBe(200)
    expect((await checkin(service, 'meanwhile')).status).toBe(202)
    expect(service.journal.stats().waiting).toBeGreaterThan(0)
    await server.kill9()
    small.freeSpace()
    await server.restart()
    await load.stop()
    await wholeFlush(service)
    const { acknowledged, indeterminate: _, phantom, ...found } = await auditPoints(harness.given.sql, book)
    expect({ ...found, phantom: [] }).toEqual(NOTHING_WRONG)
    expect(phantom.filter((key) => !/^meanwhile\|/.test(key))).toEqual([])
    expect(acknowledged).toBeGreaterThan(50)
  },
)

const JOURNAL_MB = 2

full(
  onSmallDisk(
    'Disk of the journal full, a real one: 503 with Retry-After, and what was answered 202 is there, also through kill -9 and SIGTERM while it is full',
  ),
  async () => {
    const small = await disk(JOURNAL_MB)
    const env = { JOURNAL_DIR: small.subfolder('journal') }
    let child = await startChild(harness.given, env)
    const taken: string[] = []
    let apiErrors = 0
    const send = async (count: number) => {
      const before = taken.length
      const names = Array.from({ length: count }, (_, at) => `pilgrim-${before}-${apiErrors}-${at}`)
      const answers = await Promise.all(
        names.map((userId) => child.post('/checkin', { userId, lat: 24, lng: 120.6, note: 'x'.repeat(200) })),
      )
      for (const [at, answer] of answers.entries()) {
        expect(answer?.status).toBeOneOf([202, 503])
        if (answer?.status === 202) taken.push(names[at] ?? '')
        else {
          apiErrors++
          expect(answer?.retryAfter).toMatch(/^\d+$/)
        }
      }
      return taken.length - before
    }
    await harness.given.redisServer.kill9() // what Redis has would be removed for it
    expect(await send(20)).toBe(20)
    small.fill()
    await until(async () => (await send(10)) === 0, { what: 'no space' })

    await child.kill9()
    child = await startChild(harness.given, env)
    expect(await send(10)).toBe(0)
    expect(await child.stop()).toBeOneOf([0, 'late'])
    child = await startChild(harness.given, env)
    expect(await send(10)).toBe(0)

    small.freeSpace()
    await until(async () => (await send(1)) === 1, { what: 'space again' })
    await harness.given.redisServer.restart()
    await until(async () => (await child.post('/internal/flush'))?.status === 200, { what: 'a whole flush' })
    const rows = await harness.given.sql`SELECT user_id FROM tracking.points`
    expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(taken.toSorted())
    small.fill()
    expect(await child.stop()).toBeOneOf([0, 'late'])
  },
)
