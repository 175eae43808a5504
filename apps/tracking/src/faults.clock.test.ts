import { expect, setDefaultTimeout, setSystemTime, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { clockAhead, whyNoWrongClock, withWrongClock } from '@palanquin/testing/wrong-clock'
import { startChild } from '../test/child.ts'
import { faultHarness } from '../test/fault-harness.ts'
import { tracking, untilFlushed } from '../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()

const HOUR_MS = 3_600_000

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  'Clock of one process off by an hour (%s): leases and windows are unaffected, and every point is there once',
  async (_, offMs) => {
    const right = await harness.start()
    const wrong = await tracking(harness.given, {
      env: { JOURNAL_DIR: `${harness.given.folder}/wrong` },
      machineNow: () => Date.now() + offMs,
    })
    harness.cleanUp.push(wrong.close)
    const recordedAt = Date.now() - 2 * HOUR_MS
    const points = Array.from({ length: 10 }, (_, i) => ({ lat: 24, lng: 120, recordedAt: recordedAt + i }))
    const sync = { userId: 'pilgrim', points }
    const place = { userId: 'pilgrim', lat: 24, lng: 120.6 }
    expect((await right.post('/track/sync', sync)).body.data).toMatchObject({ buffered: 10 })
    expect((await wrong.post('/track/sync', sync)).body.data).toMatchObject({ buffered: 0, duplicates: 10 })
    expect((await wrong.post('/checkin', { ...place, recordedAt })).status).toBe(202)
    await until(() => wrong.journal.stats().waiting === 0, { what: 'the first check-in' })
    expect((await right.post('/checkin', { ...place, recordedAt: recordedAt + 1_000 })).status).toBe(202)

    // Redis' time is the time: what is half an hour ahead is refused, what is honest is taken and dated rightly.
    const at = (ms: number) => ({ userId: 'honest', lat: 24.2, lng: 120.6, recordedAt: Date.now() + ms })
    expect((await wrong.post('/checkin', at(HOUR_MS / 2))).status).toBe(400)
    const honest = await wrong.post('/checkin', { ...at(0), recordedAt: undefined })
    expect(honest.status).toBe(202)
    const { receivedAt } = honest.body.data as { receivedAt: string }
    expect(Math.abs(Date.parse(receivedAt) - Date.now())).toBeLessThan(HOUR_MS / 4)
    expect(
      (await wrong.post('/track/sync', { userId: 'honest', points: [at(-1_000), at(HOUR_MS / 2)] })).body
        .data,
    ).toMatchObject({ buffered: 1, rejected: [{ index: 1, reason: 'future' }] })
    await until(() => wrong.journal.stats().waiting === 0, { what: 'the honest check-in' })

    // A lease is valid for the process with the wrong clock too, and an expired one is free.
    await harness.given.redis.set('flush:lock', 'somebody:else', {
      expiration: { type: 'PX', value: 90_000 },
    })
    await wrong.flusher.flushIfFree()
    expect(await harness.given.sql`SELECT 1 FROM tracking.points`).toHaveLength(0)
    await harness.given.redis.pExpire('flush:lock', 1)
    expect(await harness.flushed(wrong)).toBe(13)
    expect(await harness.flushed(right)).toBe(13)
    const [track] = await harness.given
      .sql`SELECT points, checkins FROM tracking.tracks WHERE user_id = 'pilgrim'`
    expect(track).toEqual({ points: 11, checkins: 1 })
  },
)

test.each([HOUR_MS, -HOUR_MS])(
  'the clock of the machine jumps by %d ms: honest points are taken, and dated rightly',
  async (jumpMs) => {
    const service = await harness.start()
    const recordedAt = Date.now()
    setSystemTime(recordedAt + jumpMs)
    try {
      for (let i = 0; i < 5; i++) {
        const point = { lat: 24 + i, lng: 120.6, recordedAt: recordedAt - i * 60_000 }
        const answer = await service.post('/checkin', { userId: 'honest', ...point })
        expect(answer.status).toBe(202)
        const { receivedAt } = answer.body.data as { receivedAt: string }
        expect(Math.abs(Date.parse(receivedAt) - recordedAt)).toBeLessThan(HOUR_MS / 4)
        const sync = await service.post('/track/sync', { userId: 'honest', points: [point] })
        expect(sync.body.data).toMatchObject({ buffered: 1, rejected: [] })
      }
    } finally {
      setSystemTime()
    }
    expect(await harness.flushed(service)).toBe(10)
  },
)

test.skipIf(whyNoWrongClock !== null).each([1, -1])(
  withWrongClock(
    'Clock of one process off by an hour (libfaketime, %d h): windows and locks are unaffected, and every point is there once',
  ),
  async (hours) => {
    const right = await harness.start()
    const wrong = await startChild(harness.given, {
      ...clockAhead(hours),
      JOURNAL_DIR: `${harness.given.folder}/wrong`,
    })
    const recordedAt = Date.now() - 2 * HOUR_MS
    const points = Array.from({ length: 10 }, (_, i) => ({ lat: 24, lng: 120, recordedAt: recordedAt + i }))
    const sync = { userId: 'pilgrim', points }
    expect((await right.post('/track/sync', sync)).body.data).toMatchObject({ buffered: 10 })
    expect((await wrong.post('/track/sync', sync))?.body).toMatchObject({
      data: { buffered: 0, duplicates: 10 },
    })
    // The future is judged by Redis' time, whatever its own clock says.
    const at = (ms: number) => ({ userId: 'ahead', lat: 24, lng: 120.6, recordedAt: Date.now() + ms })
    for (const process of [right, wrong]) {
      expect((await process.post('/checkin', at(HOUR_MS / 2)))?.status).toBe(400)
      expect((await process.post('/checkin', at(0)))?.status).toBe(202)
    }

    const place = { userId: 'pilgrim', lat: 24, lng: 120.6 }
    expect((await wrong.post('/checkin', { ...place, recordedAt }))?.status).toBe(202)
    await untilFlushed(wrong)
    expect((await right.post('/checkin', { ...place, recordedAt: recordedAt + 1_000 })).status).toBe(202)
    expect(await harness.given.redis.exists('flush:lock')).toBe(0)
    expect(await harness.flushed(right)).toBe(12)
    await untilFlushed(wrong)
    expect(await harness.flushed(right)).toBe(12)
    expect(await wrong.stop()).toBeOneOf([0, 'late'])
  },
)

test('a process that starts while Redis is away does not know the error of its clock: it accepts honest points, and they are stored', async () => {
  const away = await tracking(harness.given, {
    env: { JOURNAL_DIR: `${harness.given.folder}/unsure`, REDIS_URL: 'redis://127.0.0.1:9' },
    machineNow: () => Date.now() - HOUR_MS,
    redisIsAway: true,
  })
  const recordedAt = Date.now() - 60_000
  expect((await away.post('/checkin', { userId: 'honest', lat: 24, lng: 120.6, recordedAt })).status).toBe(
    202,
  )
  await away.close()
  const back = await tracking(harness.given, { env: { JOURNAL_DIR: `${harness.given.folder}/unsure` } })
  harness.cleanUp.push(back.close)
  await until(() => back.journal.stats().waiting === 0, { what: 'the replay' })
  expect(await harness.flushed(back)).toBe(1)
  const rows = await harness.given.sql`SELECT recorded_at FROM tracking.points`
  expect([...rows]).toEqual([{ recorded_at: new Date(recordedAt) }])
})
