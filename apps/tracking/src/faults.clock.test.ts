import { expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
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
