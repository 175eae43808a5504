import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startThread } from '../../worker-pool/worker.ts'
import { type CardPool, type CardWorker, createCardPool, type RenderedCard } from './card-pool.ts'
import type { CardContent } from './content.ts'
import { cardMetrics } from './metrics.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const FAULTY = new URL('../../../test/faulty-card-worker.ts', import.meta.url)
const PRIORITIES_FILE = join(import.meta.dir, '../../../test/priorities.ts')
const log = createLog({ service: 'media', level: 'silent' })
/** Nothing here takes so long: a test that is about a deadline has one of its own. */
const NEVER_MS = 600_000
/** After its first card, a hung thread is ended after this. */
const DEADLINE_MS = 500
/** Before its first card, after this: a thread takes seconds to start on a busy machine. */
const FIRST_DEADLINE_MS = 5_000

const EMPTY: RenderedCard = {
  isWornOut: false,
  png: new Uint8Array(8),
  scene: new SharedArrayBuffer(0),
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
    start?: () => CardWorker
  } = {},
) {
  const threads: CardWorker[] = []
  const pool = createCardPool({
    log,
    metrics: cardMetrics(createMetrics('media')),
    threads: 1,
    deadlineMs: NEVER_MS,
    firstDeadlineMs: NEVER_MS,
    waitMsMax: NEVER_MS,
    answerMsMax: NEVER_MS,
    start: () => {
      const thread: CardWorker = startThread(FAULTY)
      threads.push(thread)
      return thread
    },
    ...options,
  })
  pools.push(pool)
  return { pool, threads, alive: () => threads.filter((thread) => !thread.isEnded).length }
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

test('no thread is started before the first card, and one renders many', async () => {
  const { pool, threads } = poolOf()
  expect(threads.length).toBe(0)
  await Promise.all(Array.from({ length: 20 }, () => pool.render(card(''), 'normal')))
  expect(threads.length).toBe(1)
})

test('a thread that crashes is replaced, and its card rendered by the next', async () => {
  const { pool, threads } = poolOf()
  const file = join(mkdtempSync(join(tmpdir(), 'palanquin-pool-')), 'crashed')
  expect((await pool.render(card(`crash once ${file}`), 'normal')).png.length).toBe(8)
  expect(threads.length).toBe(2)
})

test('a card that fails in two threads is given up, and the others are rendered', async () => {
  const { pool } = poolOf()
  for (const name of ['crash', 'throw']) {
    const bad = pool.render(card(name), 'normal').catch((error: unknown) => error)
    const good = pool.render(card(''), 'normal')
    expect(await bad).toMatchObject({ message: 'a card could not be rendered' })
    expect((await good).png.length).toBe(8)
  }
})

test('a thread that hangs is ended at its deadline', async () => {
  const { pool, alive } = poolOf({ deadlineMs: DEADLINE_MS, firstDeadlineMs: FIRST_DEADLINE_MS })
  // A thread that starts for longer than its first deadline is ended as well.
  const rendered = () =>
    until(async () => (await pool.render(card(''), 'normal')).png.length === 8, { what: 'a card' })
  await rendered()
  const startedAt = performance.now()
  const hung = pool.render(card('hang'), 'normal').catch((error: unknown) => error)
  await rendered()
  expect(performance.now() - startedAt).toBeGreaterThan(DEADLINE_MS)
  expect(await hung).toMatchObject({ message: 'a card could not be rendered' })
  expect(alive()).toBe(1)
})

test('a full queue is 503 with Retry-After, and what waits is still rendered', async () => {
  const { pool } = poolOf({ waitingMax: 3 })
  const accepted = Array.from({ length: 4 }, () => pool.render(card('20 ms'), 'normal'))
  const apiError = await pool.render(card('20 ms'), 'normal').catch((error: unknown) => error)
  expect(apiError).toBeInstanceOf(ApiError)
  expect(apiError).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
  expect((await Promise.all(accepted)).length).toBe(4)
})

test('a wait that is too long is 503 with Retry-After, and an abandoned card is not rendered', async () => {
  const asked: (string | null)[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { pool } = poolOf({
    waitMsMax: 50,
    start: () => ({
      run: async ({ content }) => {
        asked.push(content.name)
        await released
        return { reply: EMPTY }
      },
      runs: 1,
      isEnded: false,
      pid: undefined,
      end: () => {},
    }),
  })
  const first = pool.render(card('first'), 'normal')
  const late = await pool.render(card('abandoned'), 'normal').catch((error: unknown) => error)
  expect(late).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
  release()
  expect(await first).toEqual(EMPTY)
  await Bun.sleep(0) // the thread is free, and no caller waits
  expect(asked).toEqual(['first'])
})

test('a wait that is too long ends also while the only thread hangs', async () => {
  const { pool } = poolOf({ waitMsMax: 50 })
  let isOver = false
  const hanging = pool.render(card('hang'), 'normal').catch(() => {
    isOver = true
  })
  const late = await pool.render(card(''), 'normal').catch((error: unknown) => error)
  expect(late).toBeInstanceOf(ApiError)
  expect(isOver).toBe(false)
  pool.stop()
  await hanging
})

test('a thread that starts slowly may go on, and its first caller gets 503 in time', async () => {
  const { pool, threads } = poolOf({ answerMsMax: 50 })
  const early = await pool.render(card('2000 ms'), 'normal').catch((error: unknown) => error)
  expect(early).toBeInstanceOf(ApiError)
  await until(
    () =>
      pool.render(card(''), 'normal').then(
        () => true,
        () => false,
      ),
    { what: 'a card of the thread that has started' },
  )
  expect(threads.length).toBe(1)
})

test('a thread that becomes free after all callers gave up renders the next card', async () => {
  const threads: { finish: () => void }[] = []
  const { pool } = poolOf({
    answerMsMax: 20,
    start: () => {
      const run = Promise.withResolvers<{ reply: RenderedCard }>()
      threads.push({ finish: () => run.resolve({ reply: EMPTY }) })
      return { run: () => run.promise, runs: 1, isEnded: false, pid: undefined, end: () => {} }
    },
  })
  const given = [pool.render(card('drawn'), 'normal'), pool.render(card('waits'), 'normal')].map((work) =>
    work.catch((error: unknown) => error),
  )
  for (const one of given) expect(await one).toBeInstanceOf(ApiError)
  threads[0]?.finish()
  await Bun.sleep(0) // the thread is free, and no caller waits
  expect(await pool.render(card('next'), 'normal')).toEqual(EMPTY)
  expect(threads).toHaveLength(1)
})

test('a requested card comes before pre-rendered ones', async () => {
  const { pool } = poolOf()
  const order: string[] = []
  const render = (name: string, priority: 'normal' | 'low') =>
    pool.render(card('5 ms'), priority).then(() => order.push(name))
  await Promise.all([
    render('first', 'normal'),
    render('low', 'low'),
    render('normal', 'normal'),
    render('also normal', 'normal'),
  ])
  expect(order).toEqual(['first', 'normal', 'also normal', 'low'])
})

test('a worn out thread is replaced by a fresh one', async () => {
  const { pool, threads } = poolOf()
  await pool.render(card('worn out'), 'normal')
  await pool.render(card(''), 'normal')
  expect(threads.length).toBe(2)
})

test('idle threads end, and start again with the next card', async () => {
  const { pool, threads, alive } = poolOf({ idleMs: 20 })
  await pool.render(card(''), 'normal')
  await until(() => alive() === 0, { what: 'the end of the idle thread' })
  await pool.render(card(''), 'normal')
  expect(threads.length).toBe(2)
})

test('stop ends the threads, and answers waiting callers with 503', async () => {
  const { pool, alive } = poolOf()
  const results = [pool.render(card('hang'), 'normal'), pool.render(card(''), 'normal')].map((work) =>
    work.catch((error) => error),
  )
  pool.stop()
  const [, waited] = await Promise.all(results)
  expect(waited).toBeInstanceOf(StoreUnavailable)
  expect(alive()).toBe(0)
  expect(await pool.render(card(''), 'normal').catch((error) => error)).toBeInstanceOf(StoreUnavailable)
})

test.skipIf(process.platform !== 'linux')(
  'threads have a lower priority than requests, also where the service itself was started with a niceness',
  async () => {
    const own = getPriority()
    const child = Bun.spawn(['nice', '-n', '5', process.execPath, '--no-env-file', PRIORITIES_FILE])
    const niceness: number[] = JSON.parse(await child.stdout.text())
    expect([...new Set(niceness)].toSorted((a, b) => a - b)).toEqual([own + 5, own + 8])
  },
)
