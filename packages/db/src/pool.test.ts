import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { connectDatabase } from './client.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'db-test', level: 'silent' })
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

test('a connection that dies at any moment of its opening fails its statement, and is never an error that nothing handles', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  const proxy = await faultProxy(database.url)
  // Each piece of data takes 4 ms: opening takes some 60 ms, and is cut every 4 ms of it.
  for (let cutAfterMs = 2; cutAfterMs <= 90; cutAfterMs += 4) {
    await proxy.set({ slow: { delayMs: 4 } })
    const db = connectDatabase({ url: proxy.url, name: 'opening', log, max: 1, deadlineMs: 2_000 })
    const outcome = db.query('select 1 as one').then(
      (rows) => rows.length,
      (error: Error) => error.name,
    )
    await Bun.sleep(cutAfterMs)
    await proxy.set('refuse')
    expect([1, 'StoreUnavailable']).toContain(await outcome)
    await db.close()
  }
  await Bun.sleep(20)
  process.off('unhandledRejection', note)
  await proxy.close()
  expect(unhandled).toEqual([])
})

test('connections whose opening takes longer than a statement may are opened in the end, however often they are wanted', async () => {
  const proxy = await faultProxy(database.url)
  // Opening takes some fifteen pieces of data: a second, and a statement has a third of it.
  await proxy.set({ slow: { delayMs: 70 } })
  const db = connectDatabase({ url: proxy.url, name: 'busy', log, max: 4, deadlineMs: 300 })
  let failures = 0
  const isAnswered = async () => {
    const outcomes = await Promise.allSettled([db.ping(), db.ping(), db.ping(), db.ping()])
    failures += outcomes.filter(({ status }) => status === 'rejected').length
    return outcomes.some(({ status }) => status === 'fulfilled')
  }
  await until(isAnswered, { what: 'a statement is answered' })
  expect(failures).toBeGreaterThan(0)
  await db.close()
  await proxy.close()
})

test('where opening takes longer than connections have for it, the next ones have longer, and one is opened', async () => {
  const proxy = await faultProxy(database.url)
  await proxy.set({ slow: { delayMs: 1_500 } }) // opening takes some fifteen pieces of data
  const db = connectDatabase({ url: proxy.url, name: 'busier', log, max: 4, deadlineMs: 4_000 })
  const isAnswered = async () => {
    const outcomes = await Promise.allSettled([db.ping(), db.ping(), db.ping(), db.ping()])
    return outcomes.some(({ status }) => status === 'fulfilled')
  }
  await until(isAnswered, { what: 'a statement is answered' })
  await db.close()
  await proxy.close()
})

test('lists arrive as arrays of PostgreSQL, whatever is in them', async () => {
  const db = connectDatabase({ url: database.url, name: 'lists', log })
  const texts = ['plain', 'with,comma', 'with "quotes"', 'back\\slash', '{braces}', '', 'NULL', '媽祖 🙏']
  const [row] = await db.query(
    'select $1::text[] as texts, $2::int8[] as whole, $3::float8[] as broken, $4::text[] as none',
    [texts, [1, -2, 9007199254740991], [0.1, 24.123456789012344], []],
  )
  expect(row).toEqual({
    texts,
    whole: [1, -2, 9007199254740991],
    broken: [0.1, 24.123456789012344],
    none: [],
  })
  await db.close()
})
