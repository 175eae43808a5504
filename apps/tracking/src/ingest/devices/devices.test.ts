import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { writeTokenHash } from '@palanquin/service/write-token'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { settlesBefore } from '@palanquin/testing/settles-before'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { batchOf } from '../../../test/batch.ts'
import { killChildren, startChild } from '../../../test/child.ts'
import { faultHarness } from '../../../test/fault-harness.ts'
import { type Service, tracking, untilTaken } from '../../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()
/** Redis has four seconds for all other calls. */
const BELOW_FOUR_SECONDS = 3_500
/** Longer than a machine may take to start the service after the app was set up: no point of then is its first one. */
const BEFORE_SET_UP_MS = 3_600_000

const DEVICE = '6a3f1f4e-3b0a-4f57-9a53-1c7a9e9d0001'
const HASH = writeTokenHash('a token of the tests')
beforeEach(async () => {
  await harness.given.sql`insert into engagement.devices (device_id, user_id, slot, app)
    values (${DEVICE}, 'pilgrim', 1, 'owntracks')`
  await harness.given
    .sql`insert into engagement.device_tokens (token_hash, device_id) values (${HASH}, ${DEVICE})`
})

const at = (agoMs: number, more = {}) => ({
  lat: 24 + agoMs / 1e9,
  lng: 120.6,
  recordedAt: Date.now() - agoMs,
  ...more,
})
const HEAD = { hash: HASH, app: 'owntracks', notPoints: 0, invalid: 0, byHand: false }
const deliver = (service: Service, points: unknown[], more = {}) =>
  service.post('/internal/device-points', { ...HEAD, points, ...more })
type Receipt = { state: string; counts: Record<string, number>; isFirst?: boolean }
const receiptOf = async (service: Service, points: unknown[], more = {}) => {
  const { status, body } = await deliver(service, points, more)
  expect(status).toBe(200)
  return body.data as Receipt
}
const reports = () => harness.given.sql`select * from tracking.device_reports`

test('each delivery of a batch is judged and answered by itself, and a repeat is found', async () => {
  const service = await harness.start()
  let tries = 0
  const storedTwice = async () => {
    const point = at(++tries * 60_000)
    const one = JSON.stringify({ ...HEAD, points: [point] })
    const answers = await batchOf(service, '/internal/device-batch', [
      one,
      JSON.stringify({ ...HEAD, hash: writeTokenHash('another'), points: [point] }),
      'no json at all',
      one,
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200])
    expect(answers[1]?.body.data).toMatchObject({ state: 'unknown_token', counts: { unknown_token: 1 } })
    return [answers[0], answers[3]].map((answer) => answer?.body.data?.counts?.stored).toSorted()
  }
  // Where Redis takes more than a second the journal takes both, and only the flush finds the repeat.
  await until(async () => Bun.deepEquals(await storedTwice(), [0, 1]), { what: 'the repeat is found' })
  expect(await harness.flushed(service)).toBe(tries)
})

test('the battery that an app says is that of its last point', async () => {
  const service = await harness.start()
  await receiptOf(service, [at(2_000), at(1_000)], { battery: 55 })
  await harness.flushed(service)
  const rows = await harness.given.sql`SELECT battery FROM tracking.points ORDER BY recorded_at`
  expect(rows.map(({ battery }) => battery)).toEqual([null, 55])
})

test('points are judged as those of a sync, stored under the name of the app, and found again when repeated', async () => {
  const service = await harness.start()
  const points = [
    at(BEFORE_SET_UP_MS),
    at(40 * 86_400_000),
    at(-600_000),
    at(BEFORE_SET_UP_MS + 1_000, { lat: 'x' }),
    at(BEFORE_SET_UP_MS + 2_000, { speed: 200 }),
  ]
  expect(await receiptOf(service, points, { notPoints: 2, invalid: 1, battery: 40 })).toEqual({
    state: 'taken',
    counts: { stored: 2, duplicate: 0, too_old: 1, future: 1, invalid: 2, not_a_point: 2 },
  })
  // What the journal took for a Redis that was late is no repeat yet.
  let storedAgain = 0
  const isRepeat = async () => {
    const { state, counts } = await receiptOf(service, points.slice(0, 1))
    storedAgain += counts.stored ?? 0
    return state === 'taken' && Bun.deepEquals(counts, { stored: 0, duplicate: 1 })
  }
  await until(isRepeat, { what: 'the repeat is found' })
  expect(await harness.flushed(service)).toBe(2)
  const rows = await harness.given.sql`select user_id, source, kind from tracking.points`
  for (const row of rows) expect(row).toEqual({ user_id: 'pilgrim', source: 'owntracks', kind: 1 })
  await until(async () => (await reports())[0]?.outcome === 'duplicate', { what: 'the report' })
  expect((await reports())[0]).toMatchObject({
    device_id: DEVICE,
    user_id: 'pilgrim',
    battery: 40,
    points_of_day: 2 + storedAgain,
    by_hand: false,
  })
})

test('the first point that was recorded since the app was set up is reported as such, once', async () => {
  const isFirst = async (of: Service, points: unknown[]) => {
    const { status, body } = await deliver(of, points)
    expect(status).toBe(200)
    return (body.data as Receipt).isFirst ?? false
  }
  const service = await harness.start()
  expect(await isFirst(service, [])).toBe(false)
  // What the phone had from before it was set up.
  expect(await isFirst(service, [at(BEFORE_SET_UP_MS)])).toBe(false)
  expect(await isFirst(service, [at(BEFORE_SET_UP_MS - 1_000), at(-1_000)])).toBe(true)
  expect(await isFirst(service, [at(-2_000)])).toBe(false)
  await until(async () => (await reports())[0]?.last_point_at?.getTime() > Date.now() - 60_000, {
    what: 'the report',
  })
  // As the event of a rotation does: what was known of the token is read again.
  service.tokens.changed(DEVICE)
  expect(await isFirst(service, [at(-3_000)])).toBe(false)
})

test('a point without a time was recorded when it arrives', async () => {
  const service = await harness.start()
  const before = Date.now()
  expect(await receiptOf(service, [{ lat: 24, lng: 120 }])).toMatchObject({ counts: { stored: 1 } })
  await harness.flushed(service)
  const [row] = await harness.given.sql`select recorded_at from tracking.points`
  expect(Math.abs(row?.recorded_at.getTime() - before)).toBeLessThan(60_000)
})

test('a token is good for its app, until it expires, and unknown once it is revoked', async () => {
  const service = await harness.start()
  const unknown = { state: 'unknown_token', counts: { unknown_token: 1 } }
  expect(await receiptOf(service, [at(1)], { hash: writeTokenHash('another') })).toEqual(unknown)
  expect(await receiptOf(service, [at(1)], { app: 'overland' })).toEqual(unknown)
  expect(await receiptOf(service, [at(2)])).toMatchObject({ state: 'taken' })
  await harness.given.sql`update engagement.device_tokens set expires_at = now() - interval '1 second'`
  // As the event of a rotation or a revocation does.
  service.tokens.changed(DEVICE)
  expect(await receiptOf(service, [at(3)])).toEqual(unknown)
  expect(await harness.flushed(service)).toBe(1)
})

test('paused is later; ended and withdrawn are taken, so that no phone calls for ever, and store nothing', async () => {
  const service = await harness.start()
  await harness.given
    .sql`insert into engagement.participants (user_id, status) values ('pilgrim', 'withdrawn')`
  await until(async () => (await receiptOf(service, [at(1)])).counts.withdrawn === 1, {
    what: 'the withdrawal',
  })
  await harness.given.sql`update engagement.participants set status = 'active', updated_at = now()`
  for (const status of ['paused', 'ended'] as const) {
    await harness.given.sql`update engagement.activity set status = ${status}, since = now()`
    const wanted = { state: status === 'paused' ? 'later' : 'taken', counts: { [status]: 1 } }
    await until(async () => Bun.deepEquals(await receiptOf(service, [at(5)]), wanted), { what: status })
    expect(await receiptOf(service, [], { notPoints: 1 })).toEqual({
      state: 'taken',
      counts: { not_a_point: 1 },
    })
  }
  await harness.given.sql`update engagement.activity set status = 'active', since = now()`
})

test('Redis down: the journal alone takes points, and they are stored when it is back', async () => {
  const service = await harness.start()
  expect(await receiptOf(service, [at(1_000)])).toMatchObject({ counts: { stored: 1 } })
  await harness.given.redisServer.kill9()
  for (let i = 2; i < 12; i++)
    expect(await receiptOf(service, [at(i * 1_000)])).toMatchObject({ state: 'taken' })
  await harness.given.redisServer.restart()
  expect(await harness.flushed(service)).toBe(11)
})

test('a Redis that hangs costs a phone two seconds, and the next ones nothing: the journal takes their points, each once', async () => {
  const service = await harness.start()
  expect(await receiptOf(service, [at(1_000)])).toMatchObject({ counts: { stored: 1 } })
  const { redisServer } = harness.given
  redisServer.suspend()
  try {
    const first = receiptOf(service, [at(2_000), at(3_000)])
    expect(await settlesBefore(first, BELOW_FOUR_SECONDS)).toBe(true)
    expect(await first).toMatchObject({ state: 'taken', counts: { stored: 2 } })
    const others = Promise.all(
      Array.from({ length: 20 }, (_, i) => receiptOf(service, [at(10_000 + i * 1_000)])),
    )
    expect(await settlesBefore(others, BELOW_FOUR_SECONDS)).toBe(true)
    expect((await others).every(({ state }) => state === 'taken')).toBe(true)
  } finally {
    redisServer.resume()
  }
  // What Redis was sent before, it has done by now: nothing is there twice.
  expect(await harness.flushed(service)).toBe(23)
})

test('PostgreSQL down: tokens that were read at the start go on, an unknown one is to come again', async () => {
  const proxy = await faultProxy(harness.given.database.url)
  harness.cleanUp.push(proxy.close)
  const service = await harness.start({ DATABASE_URL: proxy.url })
  const unknownDevice = { hash: writeTokenHash('of no device') }
  const isRead = async () => {
    const [table] = await harness.given.sql`SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS reads
      FROM pg_stat_user_tables WHERE relid = 'engagement.device_tokens'::regclass`
    return Number(table?.reads) > 0
  }
  await until(isRead, { what: 'the tokens are read' })
  await proxy.set('reset')
  expect(await receiptOf(service, [at(1_000)])).toMatchObject({ counts: { stored: 1 } })
  expect((await deliver(service, [at(1)], unknownDevice)).status).toBe(503)
  await proxy.set('pass')
  await until(async () => (await deliver(service, [at(1)], unknownDevice)).status === 200, {
    what: 'PostgreSQL',
  })
  expect(await harness.flushed(service)).toBe(1)
})

test('killed at any moment, what was answered is stored: by Redis and the journal, or by the journal alone', async () => {
  for (const redis of ['up', 'down'] as const) {
    const child = await startChild(harness.given)
    if (redis === 'down') await harness.given.redisServer.kill9()
    const answered: number[] = []
    for (let i = 1; i <= 20; i++) {
      const recordedAt = Date.now() - i * 1_000
      const answer = await child.post('/internal/device-points', {
        ...HEAD,
        points: [{ lat: 24, lng: 120 + i / 1_000, recordedAt }],
      })
      if (answer?.status === 200) answered.push(recordedAt)
    }
    expect(answered).toHaveLength(20)
    process.kill(child.pid, 'SIGKILL')
    if (redis === 'down') await harness.given.redisServer.restart()
    await killChildren()
    await until(() => harness.given.redis.isReady, { what: 'the client of the test' })
    await harness.given.redis.del('flush:lock')
    const service = await tracking(harness.given)
    await harness.flushed(service)
    const rows = await harness.given.sql`select recorded_at from tracking.points`
    const stored = new Set(rows.map((row) => row.recorded_at.getTime()))
    expect(answered.filter((time) => !stored.has(time))).toEqual([])
    await service.close()
  }
})

test('an erasure forgets the reports of the person, and what was waiting to be noted', async () => {
  const service = await harness.start()
  await receiptOf(service, [at(1_000)])
  await until(async () => (await reports()).length === 1, { what: 'the report' })
  await receiptOf(service, [at(2_000)])
  await harness.given.sql`delete from engagement.devices`
  const erased = await untilTaken(() => service.post('/internal/erase', { userId: 'pilgrim' }))
  expect(erased.status).toBe(200)
  await service.reports.saveNow()
  expect(await reports()).toHaveLength(0)
  expect(await receiptOf(service, [at(3_000)])).toMatchObject({ state: 'unknown_token' })
})
