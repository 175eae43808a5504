import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { writeCalls } from '@palanquin/service/http/batch'
import { ARRIVED_HEADER } from '@palanquin/service/http/headers'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startChild } from '../../../test/child.ts'
import { faultHarness } from '../../../test/fault-harness.ts'
import { TOKEN, tracking, untilFlushed } from '../../../test/harness.ts'
import { duplicateKey } from '../../buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const harness = faultHarness()
const PLACE = { lat: 24.1, lng: 120.6 }
const journalOf = (copy: string) => ({ JOURNAL_DIR: join(harness.given.folder, `journal-of-${copy}`) })

/** The same call as the gateway sends it, first and again: in a batch, and by itself. */
const WAYS = {
  batched: (userId: string) => ({
    path: '/internal/checkin-batch',
    type: 'text/plain',
    body: writeCalls([{ requestId: 'r', userId, json: JSON.stringify({ userId, ...PLACE }) }]),
  }),
  alone: (userId: string) => ({
    path: '/checkin',
    type: 'application/json',
    body: JSON.stringify({ userId, ...PLACE }),
  }),
}

for (const [way, callOf] of Object.entries(WAYS))
  test(`a check-in that was in the log of a process that died, and was sent again, is stored once, however late the log is replayed (${way})`, async () => {
    const userId = `repeated-${way}`
    const { path, type, body } = callOf(userId)
    const headers = {
      'x-internal-token': TOKEN,
      'content-type': type,
      [ARRIVED_HEADER]: String(Date.now()),
    }
    const request = { method: 'POST', headers, body }

    const first = await startChild(harness.given, {
      ...journalOf('first'),
      PALANQUIN_FAIL_POINT: 'checkin:after-journal*1',
    })
    await expect(fetch(first.url + path, request)).rejects.toThrow()
    await until(first.died, { what: 'the end of the first' })

    const second = await tracking(harness.given, { env: journalOf('second') })
    const response = await second.app.fetch(new Request(`http://tracking.internal${path}`, request))
    expect(await response.text()).toContain('"ok":true')
    await until(() => second.journal.stats().waiting === 0, { what: 'Redis has the second' })

    // As after the minute in which a place is recognised; only time was in between.
    await harness.given.redis.del([duplicateKey(userId, PLACE.lat, PLACE.lng)])
    const late = await tracking(harness.given, { env: journalOf('first') })
    await until(() => late.journal.stats().waiting === 0, { what: 'Redis has what was in the log' })
    await untilFlushed(late)
    const rows = await harness.given.sql`SELECT recorded_at FROM tracking.points WHERE user_id = ${userId}`
    expect(rows).toHaveLength(1)
    const [track] = await harness.given.sql`SELECT checkins FROM tracking.tracks WHERE user_id = ${userId}`
    expect(track).toEqual({ checkins: 1 })
    await late.close()
    await second.close()
  })
