import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeTokenHash } from '@palanquin/service/write-token'
import { onSmallDisk, smallDisk, whyNoSmallDisk } from '@palanquin/testing/small-disk'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startChild } from '../../../test/child.ts'
import { faultHarness } from '../../../test/fault-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()

const JOURNAL_MB = 2
const DEVICE = '6a3f1f4e-3b0a-4f57-9a53-1c7a9e9d0001'
const HASH = writeTokenHash('a token of the tests')
const HEAD = { hash: HASH, app: 'owntracks', notPoints: 0, invalid: 0, byHand: false }

test.skipIf(whyNoSmallDisk !== null)(
  onSmallDisk(
    'Redis away and the disk of the journal full: an app is to come again, and what was taken is there once',
  ),
  async () => {
    const { sql, redisServer } = harness.given
    await sql`insert into engagement.devices (device_id, user_id, slot, app)
      values (${DEVICE}, 'pilgrim', 1, 'owntracks')`
    await sql`insert into engagement.device_tokens (token_hash, device_id) values (${HASH}, ${DEVICE})`
    const small = await smallDisk(JOURNAL_MB)
    harness.cleanUp.push(small.close)
    const child = await startChild(harness.given, { JOURNAL_DIR: small.subfolder('journal') })
    const taken: number[] = []
    const began = Date.now() - 3_600_000
    let sent = 0
    const send = async (): Promise<number> => {
      const points = Array.from({ length: 50 }, () => ({ lat: 24, lng: 120.6, recordedAt: began + ++sent }))
      const { status = 0 } = (await child.post('/internal/device-points', { ...HEAD, points })) ?? {}
      expect(status).toBeOneOf([200, 503])
      if (status === 200) taken.push(...points.map(({ recordedAt }) => recordedAt))
      return status
    }
    expect(await send()).toBe(200)
    await redisServer.kill9()
    expect(await send()).toBe(200)
    small.fill()
    await until(async () => (await send()) === 503, { what: 'no space' })
    small.freeSpace()
    await redisServer.restart()
    await until(async () => (await send()) === 200, { what: 'the phone goes on' })
    const stored = async (): Promise<number[]> => {
      await child.post('/internal/flush', {})
      const rows = await sql`SELECT recorded_at FROM tracking.points`
      return rows.map((row) => row.recorded_at.getTime())
    }
    const missing = async () => {
      const times = new Set(await stored())
      return taken.filter((time) => !times.has(time))
    }
    await until(async () => (await missing()).length === 0, { what: 'all that was taken' })
    const times = await stored()
    expect(new Set(times).size).toBe(times.length)
  },
)
