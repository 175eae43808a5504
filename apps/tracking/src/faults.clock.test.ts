import { expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { clockAhead, whyNoWrongClock, withWrongClock } from '@palanquin/testing/wrong-clock'
import { startChild } from '../test/child.ts'
import { faultStand } from '../test/fault-stand.ts'
import { tracking } from '../test/harness.ts'

setDefaultTimeout(60_000) // real servers on a busy machine
const stand = faultStand()

const HOUR_MS = 3_600_000

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  'Clock of one process off by an hour (%s): leases and windows are unaffected, and every point is there once',
  async (_, offMs) => {
    const right = await stand.start()
    const wrong = await tracking(stand.given, {
      env: { JOURNAL_DIR: `${stand.given.folder}/wrong` },
      now: () => Date.now() + offMs,
    })
    stand.cleanUp.push(wrong.close)
    const recordedAt = Date.now() - 2 * HOUR_MS
    const points = Array.from({ length: 10 }, (_, i) => ({ lat: 24, lng: 120, recordedAt: recordedAt + i }))
    const sync = { userId: 'walker', points }
    const place = { userId: 'walker', lat: 24, lng: 120.6 }
    expect((await right.post('/track/sync', sync)).body.data).toMatchObject({ buffered: 10 })
    expect((await wrong.post('/track/sync', sync)).body.data).toMatchObject({ buffered: 0, duplicates: 10 })
    expect((await wrong.post('/checkin', { ...place, recordedAt })).status).toBe(202)
    await until(() => wrong.journal.stats().waiting === 0, { what: 'the first check-in' })
    expect((await right.post('/checkin', { ...place, recordedAt: recordedAt + 1_000 })).status).toBe(202)

    // A lease that somebody holds is held for the process with the wrong clock too, and one that ran out is free.
    await stand.given.redis.set('flush:lock', 'somebody:else', { expiration: { type: 'PX', value: 90_000 } })
    await wrong.flusher.flushIfFree()
    expect(await stand.given.sql`SELECT 1 FROM tracking.points`).toHaveLength(0)
    await stand.given.redis.pExpire('flush:lock', 1)
    expect(await stand.flushed(wrong)).toBe(11)
    expect(await stand.flushed(right)).toBe(11)
    const [track] = await stand.given.sql`SELECT points, checkins FROM tracking.tracks`
    expect(track).toEqual({ points: 11, checkins: 1 })
  },
)

test.skipIf(whyNoWrongClock !== null)(
  withWrongClock(
    'Clock of one process off by an hour, a process of its own: windows and locks are unaffected, and every point is there once',
  ),
  async () => {
    const right = await stand.start()
    const wrong = await startChild(stand.given, {
      ...clockAhead(1),
      JOURNAL_DIR: `${stand.given.folder}/wrong`,
    })
    const recordedAt = Date.now() - 2 * HOUR_MS
    const points = Array.from({ length: 10 }, (_, i) => ({ lat: 24, lng: 120, recordedAt: recordedAt + i }))
    const sync = { userId: 'walker', points }
    expect((await right.post('/track/sync', sync)).body.data).toMatchObject({ buffered: 10 })
    expect((await wrong.post('/track/sync', sync))?.body).toMatchObject({
      data: { buffered: 0, duplicates: 10 },
    })
    // Its clock is off indeed: it takes for the past what the other knows to be half an hour ahead.
    const ahead = { userId: 'ahead', lat: 24, lng: 120.6, recordedAt: Date.now() + HOUR_MS / 2 }
    expect((await right.post('/checkin', ahead)).status).toBe(400)
    expect((await wrong.post('/checkin', ahead))?.status).toBe(202)

    const place = { userId: 'walker', lat: 24, lng: 120.6 }
    expect((await wrong.post('/checkin', { ...place, recordedAt }))?.status).toBe(202)
    expect((await wrong.post('/internal/flush'))?.status).toBe(200)
    expect((await right.post('/checkin', { ...place, recordedAt: recordedAt + 1_000 })).status).toBe(202)
    expect(await stand.given.redis.exists('flush:lock')).toBe(0)
    expect(await stand.flushed(right)).toBe(12)
    expect((await wrong.post('/internal/flush'))?.status).toBe(200)
    expect(await stand.flushed(right)).toBe(12)
    expect(await wrong.stop()).toBe(0)
  },
)
