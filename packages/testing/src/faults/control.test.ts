import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import postgres from 'postgres'
import { type TestDatabase, testDatabase } from '../postgres.ts'
import { seededRandom } from '../random.ts'
import { testRedisServer } from '../redis-server.ts'
import type { TestServer } from '../server.ts'
import { TEST_TIMEOUT_MS } from '../timeout.ts'
import { ledger } from './ledger.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const WRITES = 2_000
const BATCH = 50
/** How often a flusher dies at each of its two places, of a hundred. */
const DEATHS_PERCENT = 15

let database: TestDatabase
let server: TestServer
let sql: postgres.Sql
let redis: Bun.RedisClient
beforeAll(async () => {
  ;[database, server] = await Promise.all([testDatabase(), testRedisServer()])
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  redis = new Bun.RedisClient(server.url)
})
afterAll(async () => {
  redis.close()
  await sql.end({ timeout: 1 })
  await Promise.all([database.close(), server.close()])
})

type Entry = { id: string; key: string }
/** How a flusher stores what it has read, and removes it. */
type Pattern = {
  store: (keys: readonly string[]) => Promise<unknown>
  remove: (entries: readonly Entry[]) => Promise<unknown>
}

/** The pattern of the services, in small: a key in the table, and exactly what was read is removed. */
const kept: Pattern = {
  store: (keys) => sql`INSERT INTO kept SELECT * FROM unnest(${[...keys]}::text[]) ON CONFLICT DO NOTHING`,
  remove: (entries) => redis.send('XDEL', ['control', ...entries.map(({ id }) => id)]),
}
/** The pattern broken on purpose: plain inserts. */
const broken: Pattern = {
  store: (keys) => sql`INSERT INTO broken SELECT * FROM unnest(${[...keys]}::text[])`,
  remove: async (entries) => {
    const left = Number(await redis.send('XLEN', ['control'])) - entries.length
    await redis.send('XTRIM', ['control', 'MAXLEN', String(Math.max(0, left))])
  },
}

async function read(): Promise<Entry[]> {
  const page: [string, string[]][] = await redis.send('XRANGE', ['control', '-', '+', 'COUNT', String(BATCH)])
  return page.map(([id, [, key = '']]) => ({ id, key }))
}

/** Two flushers take turns and die now and then, before and after they have stored, while writes come in. */
async function run(pattern: Pattern, stored: () => Promise<string[]>) {
  const random = seededRandom(77)
  const dies = () => random.next() * 100 < DEATHS_PERCENT
  const book = ledger()
  await redis.send('DEL', ['control'])
  const flusher = async function* () {
    for (;;) {
      const entries = await read()
      yield
      if (dies() || entries.length === 0) continue
      await pattern.store(entries.map(({ key }) => key))
      yield
      if (dies()) continue
      await pattern.remove(entries)
      yield
    }
  }
  const flushers = [flusher(), flusher()] as const
  for (let n = 0; n < WRITES; n++) {
    await redis.send('XADD', ['control', '*', 'key', `write-${n}`])
    book.note(`write-${n}`, 'acknowledged')
    if (random.next() < 0.3) await flushers[random.next() < 0.5 ? 0 : 1].next()
  }
  for (let entries = await read(); entries.length > 0; entries = await read()) {
    await pattern.store(entries.map(({ key }) => key))
    await pattern.remove(entries)
  }
  return book.check(await stored())
}

test('the checker catches a flush that is broken on purpose, and finds nothing wrong with the same faults where it is not', async () => {
  await sql`CREATE TABLE kept (key text PRIMARY KEY)`
  await sql`CREATE TABLE broken (key text)`
  const keysOf = async (table: 'kept' | 'broken') =>
    (await sql<{ key: string }[]>`SELECT key FROM ${sql(table)}`).map(({ key }) => key)
  const right = await run(kept, () => keysOf('kept'))
  expect(right).toEqual({ acknowledged: WRITES, indeterminate: 0, lost: [], doubled: [], phantom: [] })
  const wrong = await run(broken, () => keysOf('broken'))
  expect(wrong.lost.length).toBeGreaterThan(10)
  expect(wrong.doubled.length).toBeGreaterThan(10)
  expect(wrong.phantom).toEqual([])
})
