import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { RecordedFix } from '@palanquin/recordings/fix'
import { receiptsUnder } from '@palanquin/service/erasure-token'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { createHttpApp } from '@palanquin/service/http/app'
import { INTERNAL_TOKEN_HEADER, USER_HEADER } from '@palanquin/service/http/headers'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { openStores } from '../../test/stores.ts'
import { discardedStore } from '../discarded-objects/store.ts'
import { sweepDiscarded } from '../discarded-objects/sweep.ts'
import { createImports } from './imports.ts'
import type { ImportState } from './report.ts'
import { IMPORT_BODIES } from './route.ts'
import type { Budget } from './run.ts'
import type { SendPoints } from './tracking-client.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const internalToken = 'an-internal-token-for-tests'
const log = createLog({ service: 'media', level: 'silent' })
const AT = Date.parse('2026-04-17T14:05:00Z')
const COUNTS = { stored: 0, duplicates: 0, tooOld: 0, future: 0, invalid: 0 }
const DENIED = new ApiError('forbidden', 'The activity is paused: positions are not taken until it goes on.')

let stores: Awaited<ReturnType<typeof openStores>>
beforeAll(async () => {
  stores = await openStores({ log })
})
afterAll(() => stores.close())
type Reply = { data: ImportState; error?: string }
/** What tracking got, and how it answers. */
let sent: { userId: string; points: readonly RecordedFix[] }[]
let answer: SendPoints
let startsAt: number | null
const take: SendPoints = async (_, { length }) => ({ ...COUNTS, stored: length })
beforeEach(async () => {
  sent = []
  answer = take
  startsAt = null
  await stores.sql`DELETE FROM media.imports`
})

function imports(options: { budget?: Budget; turnMs?: number } = {}) {
  const metrics = createMetrics('media')
  const reservation = { refund: async () => {}, stored: async () => {}, decoded: async () => {} }
  const made = createImports({
    db: stores.db,
    objects: stores.objects,
    log,
    metrics,
    receiptOf: receiptsUnder('pseudonym-secret-of-the-tests'),
    quota: { take: async () => reservation },
    send: async (userId, points, receivedAt) => {
      if (points.length > 0) sent.push({ userId, points })
      return answer(userId, points, receivedAt)
    },
    startsAtMs: () => startsAt,
    ...options,
  })
  const app = createHttpApp({
    service: 'media',
    internalToken,
    log,
    metrics,
    rawBodies: IMPORT_BODIES,
    readiness: async () => ({}),
  }).use(made.routes)
  const call = async (userId: string, path: string, form?: FormData) => {
    const headers = { [INTERNAL_TOKEN_HEADER]: internalToken, [USER_HEADER]: userId }
    const init = form ? { method: 'POST', body: form, headers } : { headers }
    const response = await app.handle(new Request(`http://media${path}`, init))
    const body = await response.json()
    return { status: response.status, body: body as Reply }
  }
  const post = (userId: string, file: string) => {
    const form = new FormData()
    form.set('file', new Blob([file]), 'walk')
    return call(userId, '/upload/import', form)
  }
  const ended = async (userId: string, id: string) => {
    const state = async () => (await call(userId, `/import/${id}`)).body.data
    await until(async () => ['done', 'failed'].includes((await state()).status), {
      what: 'the end of an import',
    })
    return state()
  }
  return { ...made, metrics, call, post, ended }
}

const gpx = (length: number) =>
  `<gpx><trk><trkseg>${Array.from(
    { length },
    (_, at) =>
      `<trkpt lat="24.3" lon="${120 + at / 1e5}"><time>${new Date(AT + at * 1_000).toISOString()}</time></trkpt>`,
  ).join('')}<trkpt lat="24" lon="120"/></trkseg></trk></gpx>`

async function whileRunning<T>(
  work: (made: ReturnType<typeof imports>) => Promise<T>,
  options: { budget?: Budget; turnMs?: number } = {},
): Promise<T> {
  const made = imports(options)
  await made.runner.start?.()
  try {
    return await work(made)
  } finally {
    await made.runner.stop?.()
  }
}

test('a file is taken at once, read in the background, and reported', async () => {
  await whileRunning(async ({ post, ended, metrics }) => {
    answer = async (_, { length }) => ({ ...COUNTS, stored: length - 2, duplicates: 1, future: 1 })
    const { status, body } = await post('pilgrim', gpx(2_001))
    expect([status, Object.keys(body.data)]).toEqual([202, ['importId']])
    expect(await ended('pilgrim', body.data.importId)).toEqual({
      importId: body.data.importId,
      status: 'done',
      format: 'gpx',
      points: 2_002,
      stored: 1_995,
      duplicates: 3,
      tooOld: 0,
      invalid: 4,
      reasons: { noTime: 1, noPlace: 0, future: 3, outOfRange: 0 },
      from: '2026-04-17T14:05:00.000Z',
      to: '2026-04-17T14:38:20.000Z',
      incomplete: false,
      error: null,
      errorCode: null,
    })
    expect(sent.map(({ points }) => points.length)).toEqual([1_000, 1_000, 1])
    const text = await metrics.metrics()
    expect(text).toMatch(/palanquin_imports_total\{[^}]*outcome="done"[^}]*\} 1\n/)
    expect(text).toMatch(/palanquin_imported_points_total\{[^}]*outcome="stored"[^}]*\} 1995\n/)
  })
  await sweepDiscarded({ store: discardedStore(stores.db), objects: stores.objects, log })
  expect(await stores.keys('imports/')).toEqual([])
})

test('a file that cannot be read fails with a sentence, and nothing of it is sent', async () => {
  await whileRunning(async ({ post, ended }) => {
    const { body } = await post('pilgrim', gpx(50).replace('</trkseg>', '</trkpt>'))
    expect(await ended('pilgrim', body.data.importId)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/cannot be read/),
      errorCode: 'damaged',
      stored: 0,
    })
    expect(sent).toEqual([])
  })
})

test('points of before the activity are not taken', async () => {
  startsAt = AT + 10_000
  await whileRunning(async ({ post, ended }) => {
    const { body } = await post('pilgrim', gpx(30))
    expect(await ended('pilgrim', body.data.importId)).toMatchObject({ stored: 20, tooOld: 10 })
  })
})

test('one at a time for each person; another may send meanwhile, and sees only what is theirs', async () => {
  const { post, call } = imports() // nothing runs
  const { body } = await post('pilgrim', gpx(1))
  expect((await post('pilgrim', gpx(1))).status).toBe(409)
  expect((await post('other', gpx(1))).status).toBe(202)
  expect((await call('pilgrim', `/import/${body.data.importId}`)).body.data).toMatchObject({
    status: 'queued',
    points: 0,
  })
  expect((await call('other', `/import/${body.data.importId}`)).status).toBe(404)
  const both = await Promise.all(Array.from({ length: 5 }, () => post('third', gpx(1))))
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409])
})

test('people take turns, whoever had the least first, and small files before large ones', async () => {
  const made = imports({ turnMs: 0 })
  await made.post('large', gpx(3_000))
  const { body } = await made.post('larger', gpx(4_000))
  await made.post('small', gpx(10))
  await made.runner.start?.()
  expect(await made.ended('larger', body.data.importId)).toMatchObject({ status: 'done', stored: 4_000 })
  await made.runner.stop?.()
  const turns = ['small', ...Array.from({ length: 3 }, () => ['large', 'larger']).flat(), 'larger']
  expect(sent.map(({ userId }) => userId)).toEqual(turns)
})

test('one person has so many points and so much processor time a day; what was stored stays', async () => {
  const budget = { points: 2_500, processorMs: 60_000 }
  const spent = { status: 'failed', errorCode: 'spent_today', error: expect.stringContaining('tomorrow') }
  await whileRunning(
    async ({ post, ended }) => {
      const first = await post('pilgrim', gpx(3_000))
      expect(await ended('pilgrim', first.body.data.importId)).toMatchObject({ ...spent, stored: 2_000 })
      const other = await post('other', gpx(10))
      expect(await ended('other', other.body.data.importId)).toMatchObject({ status: 'done', stored: 10 })
      await stores.sql`UPDATE media.imports SET processor_ms = 60_000 WHERE user_id = 'other'`
      const again = await post('other', gpx(10))
      expect(await ended('other', again.body.data.importId)).toMatchObject({ ...spent, stored: 0 })
      await stores.sql`UPDATE media.imports SET created_at = now() - interval '25 hours'`
      const tomorrow = await post('other', gpx(10))
      expect(await ended('other', tomorrow.body.data.importId)).toMatchObject({ status: 'done' })
    },
    { budget },
  )
  const rows = await stores.sql`SELECT processor_ms FROM media.imports WHERE user_id = 'pilgrim'`
  expect(rows[0]?.processor_ms).toBeGreaterThan(0)
})

test('while no points are taken, the file is refused at once', async () => {
  answer = async () => DENIED
  const { status, body } = await imports().post('pilgrim', gpx(1))
  expect([status, body.error]).toEqual([403, DENIED.message])
})

test('where the activity is paused in the middle, the report says how far it got', async () => {
  await whileRunning(async ({ post, ended }) => {
    answer = async (...given) => (sent.length > 1 ? DENIED : take(...given))
    const { body } = await post('pilgrim', gpx(3_000))
    expect(await ended('pilgrim', body.data.importId)).toMatchObject({
      status: 'failed',
      points: 3_001,
      stored: 1_000,
      error: DENIED.message,
      errorCode: 'not_taken',
    })
  })
})

test('what a process left behind is taken up where it was, and counted once', async () => {
  const first = imports()
  let isAway = false
  answer = async (userId, points, receivedAt) => {
    if (isAway) throw new StoreUnavailable('tracking')
    if (points.length > 0) isAway = sent.length === 2
    return take(userId, points, receivedAt)
  }
  await first.runner.start?.()
  const { body } = await first.post('pilgrim', gpx(5_000))
  const { importId } = body.data
  await until(() => isAway && sent.length > 2, { what: 'tracking to be away' })
  await first.runner.stop?.()
  await stores.sql`UPDATE media.imports SET leased_until = '-infinity'`
  answer = take
  sent = []
  await whileRunning(async ({ ended }) => {
    expect(await ended('pilgrim', importId)).toMatchObject({ status: 'done', points: 5_001, stored: 5_000 })
  })
  expect(sent.map(({ points }) => points.length)).toEqual([1_000, 1_000, 1_000])
})

test('the next process waits eight seconds at most for one that died, and never for one that works', async () => {
  const died = imports()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  answer = async (userId, points, receivedAt) => {
    if (points.length > 0) await held
    return take(userId, points, receivedAt)
  }
  const lease = async () => {
    const [row] = await stores.sql`
      SELECT extract(epoch FROM leased_until - now())::float8 AS left, leased_until::text AS until
        FROM media.imports WHERE status = 'running'`
    return row
  }
  await died.runner.start?.()
  await died.post('slow', gpx(3_000))
  const first = await until(lease, { what: 'the lease' })
  // The lease may have begun a moment after this question.
  expect(first.left).toBeLessThan(9)
  await until(async () => (await lease())?.until !== first.until, { what: 'its renewal' })
  release()
  answer = take
  await until(async () => (await lease()) === undefined, { what: 'the end' })
  await died.runner.stop?.()
})

test('an erased person’s import ends, and its file goes', async () => {
  await whileRunning(async ({ post, erase, call }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    answer = async (userId, points, receivedAt) => {
      if (points.length > 0) await held
      return take(userId, points, receivedAt)
    }
    const { body } = await post('gone', gpx(3_000))
    await until(() => sent.length === 1, { what: 'the first points' })
    expect(await erase('gone')).toEqual({ imports: 1 })
    release()
    answer = take
    const next = await post('next', gpx(1))
    await until(() => sent.some(({ userId }) => userId === 'next'), { what: 'the next import' })
    expect(next.status).toBe(202)
    expect(sent.filter(({ userId }) => userId === 'gone')).toHaveLength(1)
    expect((await call('gone', `/import/${body.data.importId}`)).status).toBe(404)
  })
})

test('a device’s imports become the person’s; where both have one under way, the device’s ends', async () => {
  const { post, link, call } = imports()
  const { body } = await post('w_device', gpx(1))
  await post('w_busy', gpx(1))
  await link({ deviceId: 'w_device', userId: 'Uperson' })
  await link({ deviceId: 'w_busy', userId: 'Uperson' })
  await link({ deviceId: 'w_busy', userId: 'Uperson' })
  expect((await call('Uperson', `/import/${body.data.importId}`)).body.data.status).toBe('queued')
  const rows =
    await stores.sql`SELECT id::text AS id, status FROM media.imports WHERE user_id = 'Uperson' ORDER BY created_at`
  expect(rows.map(({ status }) => status)).toEqual(['queued', 'failed'])
  const ended = (await call('Uperson', `/import/${rows[1]?.id}`)).body.data
  expect(ended).toMatchObject({ status: 'failed', errorCode: 'send_again', stored: 0 })
})

test('no form, no file, or an empty one is 400', async () => {
  const { call, post } = imports()
  const form = new FormData()
  form.set('file', 'no file')
  expect((await call('pilgrim', '/upload/import', form)).status).toBe(400)
  expect((await post('pilgrim', '')).body.error).toBe('file: it is empty')
})
