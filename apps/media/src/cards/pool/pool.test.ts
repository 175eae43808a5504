import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import type { CardContent } from '../content.ts'
import { cardMetrics } from '../metrics.ts'
import { type CardPool, createCardPool } from './pool.ts'
import { type Drawn, type StartThread, startThread, type Thread } from './thread.ts'

setDefaultTimeout(HANG_MS)

const ODD = new URL('../../../test/faulty-card-worker.ts', import.meta.url)
const PRIORITIES_FILE = join(import.meta.dir, '../../../test/priorities.ts')
const log = createLog({ service: 'media', level: 'silent' })
/** Nothing here takes so long: a test that is about a deadline has one of its own. */
const NEVER_MS = 600_000
/** A hung thread that has drawn is given up after this. */
const DEADLINE_MS = 500
/** One that has not, after this: the start of a thread takes seconds on a busy machine. */
const FIRST_DEADLINE_MS = 5_000

const EMPTY: Drawn = {
  ...{ id: 1, tired: false, png: new Uint8Array(8), scene: new SharedArrayBuffer(0) },
  spent: { layoutMs: 1, rasterMs: 1, encodeMs: 1 },
}

let pools: CardPool[] = []
afterEach(() => {
  for (const pool of pools) pool.stop()
  pools = []
})

function poolOf(
  options: {
    threads?: number
    waitingMax?: number
    waitMsMax?: number
    answerMsMax?: number
    deadlineMs?: number
    firstDeadlineMs?: number
    idleMs?: number
    start?: StartThread
  } = {},
) {
  const threads: Thread[] = []
  const begin = startThread(ODD)
  const pool = createCardPool({
    log,
    metrics: cardMetrics(createMetrics('media')),
    threads: 1,
    deadlineMs: NEVER_MS,
    firstDeadlineMs: NEVER_MS,
    waitMsMax: NEVER_MS,
    answerMsMax: NEVER_MS,
    start: () => {
      const thread = begin()
      threads.push(thread)
      return thread
    },
    ...options,
  })
  pools.push(pool)
  return { pool, threads, alive: () => threads.filter((thread) => !thread.isBroken()).length }
}

const card = (name: string): CardContent => ({
  language: 'zh-TW',
  event: { nameZh: '', nameEn: '', dates: null },
  name,
  level: 1,
  unlocked: false,
  km: 0,
  checkins: 1,
  avoidedKg: 0,
  next: null,
})

test('no thread is started before the first card, and one draws many', async () => {
  const { pool, threads } = poolOf()
  expect(threads.length).toBe(0)
  await Promise.all(Array.from({ length: 20 }, () => pool.draw(card(''), 'live')))
  expect(threads.length).toBe(1)
})

test('a thread that crashes is replaced, and its card drawn by the next', async () => {
  const { pool, threads } = poolOf()
  const file = join(mkdtempSync(join(tmpdir(), 'palanquin-pool-')), 'crashed')
  expect((await pool.draw(card(`crash once ${file}`), 'live')).png.length).toBe(8)
  expect(threads.length).toBe(2)
})

test('a card that fails in two threads is given up, and the others are drawn', async () => {
  const { pool } = poolOf()
  for (const name of ['crash', 'throw']) {
    const bad = pool.draw(card(name), 'live').catch((error: unknown) => error)
    const good = pool.draw(card(''), 'live')
    expect(await bad).toMatchObject({ message: 'a card could not be drawn' })
    expect((await good).png.length).toBe(8)
  }
})

test('a thread that hangs is ended at its deadline', async () => {
  const { pool, alive } = poolOf({ deadlineMs: DEADLINE_MS, firstDeadlineMs: FIRST_DEADLINE_MS })
  await pool.draw(card(''), 'live')
  const startedAt = performance.now()
  const hung = pool.draw(card('hang'), 'live').catch((error: unknown) => error)
  expect((await pool.draw(card(''), 'live')).png.length).toBe(8)
  expect(performance.now() - startedAt).toBeGreaterThan(DEADLINE_MS)
  expect(await hung).toMatchObject({ message: 'a card could not be drawn' })
  expect(alive()).toBe(1)
})

test('a full queue refuses with Retry-After, and what waits is still drawn', async () => {
  const { pool } = poolOf({ waitingMax: 3 })
  const accepted = Array.from({ length: 4 }, () => pool.draw(card('20 ms'), 'live'))
  const apiError = await pool.draw(card('20 ms'), 'live').catch((error: unknown) => error)
  expect(apiError).toBeInstanceOf(ApiError)
  expect(apiError).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
  expect((await Promise.all(accepted)).length).toBe(4)
})

test('who waited too long is told to come again, and nothing is drawn for nobody', async () => {
  const { pool } = poolOf({ waitMsMax: 50 })
  const first = pool.draw(card('200 ms'), 'live')
  const late = pool.draw(card('crash'), 'live').catch((error: unknown) => error)
  await first
  expect(await late).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
})

test('who waits is told so also while the only thread hangs', async () => {
  const { pool } = poolOf({ waitMsMax: 50 })
  let isOver = false
  const hanging = pool.draw(card('hang'), 'live').catch(() => {
    isOver = true
  })
  const late = await pool.draw(card(''), 'live').catch((error: unknown) => error)
  expect(late).toBeInstanceOf(ApiError)
  expect(isOver).toBe(false)
  pool.stop()
  await hanging
})

test('a thread that starts slowly is let start, and who asked first is told to come again', async () => {
  const { pool, threads } = poolOf({ answerMsMax: 50 })
  const early = await pool.draw(card('300 ms'), 'live').catch((error: unknown) => error)
  expect(early).toBeInstanceOf(ApiError)
  await until(
    () =>
      pool.draw(card(''), 'live').then(
        () => true,
        () => false,
      ),
    { what: 'a card of the thread that has started' },
  )
  expect(threads.length).toBe(1)
})

test('a thread that is free when all who waited have given up draws the next card', async () => {
  const threads: { finish: () => void }[] = []
  const { pool } = poolOf({
    answerMsMax: 20,
    start: () => {
      const drawn = Promise.withResolvers<Drawn>()
      threads.push({ finish: () => drawn.resolve(EMPTY) })
      return { draw: () => drawn.promise, isFresh: () => false, isBroken: () => false, end: () => {} }
    },
  })
  const given = [pool.draw(card('drawn'), 'live'), pool.draw(card('waits'), 'live')].map((work) =>
    work.catch((error: unknown) => error),
  )
  for (const one of given) expect(await one).toBeInstanceOf(ApiError)
  threads[0]?.finish()
  await Bun.sleep(0) // the thread is free, and takes nobody up
  expect(await pool.draw(card('next'), 'live')).toEqual(EMPTY)
  expect(threads).toHaveLength(1)
})

test('whoever waits comes before what is made ahead', async () => {
  const { pool } = poolOf()
  const order: string[] = []
  const draw = (name: string, priority: 'live' | 'ahead') =>
    pool.draw(card('5 ms'), priority).then(() => order.push(name))
  await Promise.all([
    draw('first', 'live'),
    draw('ahead', 'ahead'),
    draw('live', 'live'),
    draw('also live', 'live'),
  ])
  expect(order).toEqual(['first', 'live', 'also live', 'ahead'])
})

test('a thread that is tired is replaced by a fresh one', async () => {
  const { pool, threads } = poolOf()
  await pool.draw(card('tired'), 'live')
  await pool.draw(card(''), 'live')
  expect(threads.length).toBe(2)
})

test('threads end when nobody asks for a while, and begin again', async () => {
  const { pool, threads, alive } = poolOf({ idleMs: 20 })
  await pool.draw(card(''), 'live')
  await until(() => alive() === 0, { what: 'the end of the idle thread' })
  await pool.draw(card(''), 'live')
  expect(threads.length).toBe(2)
})

test('a stop ends the threads, and tells who waits to come again', async () => {
  const { pool, alive } = poolOf()
  const drawn = [pool.draw(card('hang'), 'live'), pool.draw(card(''), 'live')].map((work) =>
    work.catch((error) => error),
  )
  pool.stop()
  const [, waited] = await Promise.all(drawn)
  expect(waited).toBeInstanceOf(StoreUnavailable)
  expect(alive()).toBe(0)
  expect(await pool.draw(card(''), 'live').catch((error) => error)).toBeInstanceOf(StoreUnavailable)
})

test.skipIf(process.platform !== 'linux')(
  'threads step behind what answers requests, also where the service itself was started further back',
  async () => {
    const own = getPriority()
    const child = Bun.spawn(['nice', '-n', '5', process.execPath, '--no-env-file', PRIORITIES_FILE])
    const niceness: number[] = JSON.parse(await child.stdout.text())
    expect([...new Set(niceness)].toSorted((a, b) => a - b)).toEqual([own + 5, own + 8])
  },
)
