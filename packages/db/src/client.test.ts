import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { settlesBefore } from '@palanquin/testing/settles-before'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { sql } from 'drizzle-orm'
import { connectDatabase, type Database } from './client.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const log = createLog({ service: 'db-test', level: 'silent' })
let database: TestDatabase
const opened: Database[] = []

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()))
  await database.close()
})

function open(options: { url?: string; max?: number; deadlineMs?: number; name?: string } = {}): Database {
  const db = connectDatabase({ url: database.url, name: 'db-test', log, ...options })
  opened.push(db)
  return db
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'succeeded',
    (error: unknown) => error,
  )

test('int8 arrives as a number and a double as it was', async () => {
  const [row] = await open().query(
    'select 9007199254740991::int8 as big, $1::float8 as lat',
    [24.123456789012344],
  )
  expect(row).toEqual({ big: 9007199254740991, lat: 24.123456789012344 })
})

test('a wrong statement is an error of ours, not a lost store', async () => {
  const error = await failure(open().query('select nothing from nowhere'))
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(StoreUnavailable)
})

test('a failed drizzle query does not carry its parameters', async () => {
  const db = open()
  const error = await failure(db.orm((orm) => orm.execute(sql`select ${'0912345678'} from nowhere`)))
  expect(String(error)).not.toContain('0912345678')
})

describe('a backend that dies', () => {
  const kill = (name: string) =>
    open({ name: 'killer' }).query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()',
      [name],
    )

  test('in the middle of a statement fails that statement alone, and the client goes on', async () => {
    const db = open({ name: 'victim', max: 2 })
    const slow = failure(db.query('select pg_sleep(600)', [], { deadlineMs: 600_000 }))
    const watcher = open({ name: 'watcher' })
    await until(
      async () =>
        (
          await watcher.query(
            "select 1 from pg_stat_activity where application_name = 'victim' and query like '%pg_sleep%'",
          )
        ).length > 0,
      { what: 'the slow statement runs' },
    )
    await kill('victim')
    expect(await slow).toBeInstanceOf(StoreUnavailable)
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  test('with other statements queued behind it loses none of them silently', async () => {
    const db = open({ name: 'queued', max: 1 })
    await db.query('create table if not exists public.queued (n int primary key)')
    const slow = failure(db.query('select pg_sleep(600)', [], { deadlineMs: 600_000 }))
    const behind = Array.from({ length: 5 }, (_, n) =>
      failure(db.query('insert into public.queued values ($1) returning n', [n])),
    )
    const watcher = open({ name: 'watcher' })
    await until(
      async () =>
        (
          await watcher.query(
            "select 1 from pg_stat_activity where application_name = 'queued' and query like '%pg_sleep%'",
          )
        ).length > 0,
      { what: 'the slow statement runs' },
    )
    await kill('queued')
    await slow
    const outcomes = await Promise.all(behind)
    const stored = await watcher.query<{ n: number }>('select n from public.queued order by n')
    const said = outcomes.flatMap((outcome) => (Array.isArray(outcome) ? outcome : []))
    for (const [n, outcome] of outcomes.entries())
      if (outcome === 'succeeded') expect(stored.map((row) => row.n)).toContain(n)
    expect(said.length).toBe(0)
  })
})

test('a stalled link is given up at the deadline, and the client recovers when it moves again', async () => {
  const proxy = await faultProxy(database.url)
  const db = open({ url: proxy.url, max: 2, deadlineMs: 300 })
  await until(async () => (await db.query('select 1')).length === 1, { what: 'a connection' })
  await proxy.set('stall')
  const failing = Promise.all(Array.from({ length: 6 }, () => failure(db.query('select 1'))))
  expect(await settlesBefore(failing, 2_000)).toBe(true)
  const errors = await failing
  for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailable)
  await proxy.set('pass')
  await until(async () => (await db.query('select 1')).length === 1, { what: 'the client recovers' })
  await proxy.close()
})

test('a server that is away at the start is a StoreUnavailable, and is used once it is there', async () => {
  const proxy = await faultProxy(database.url)
  await proxy.set('refuse')
  const db = open({ url: proxy.url, deadlineMs: 1_000 })
  expect(await failure(db.query('select 1'))).toBeInstanceOf(StoreUnavailable)
  await proxy.set('pass')
  await until(async () => (await db.query('select 1')).length === 1, { what: 'the client connects' })
  await proxy.close()
})

test('drizzle too recovers from a stalled link', async () => {
  const proxy = await faultProxy(database.url)
  const db = open({ url: proxy.url, max: 2, deadlineMs: 300 })
  const one = () => db.orm((orm) => orm.execute(sql`select 1 as one`))
  await until(async () => (await one()).length === 1, { what: 'a connection' })
  await proxy.set('stall')
  for (const error of await Promise.all([failure(one()), failure(one()), failure(one())]))
    expect(error).toBeInstanceOf(StoreUnavailable)
  await proxy.set('pass')
  await until(async () => (await one()).length === 1, { what: 'drizzle recovers' })
  await proxy.close()
})
