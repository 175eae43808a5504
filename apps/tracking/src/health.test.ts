import { expect, setDefaultTimeout, test } from 'bun:test'
import { testClock } from '@palanquin/testing/clock'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { checkin, faultHarness } from '../test/fault-harness.ts'
import { type Service, tracking } from '../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()
const MINUTE_MS = 60_000

const health = async (service: Service) =>
  (await service.get('/internal/health')).body.data as Record<string, unknown>
const waiting = (service: Service, bufferSize: number) =>
  until(async () => (await health(service)).bufferSize === bufferSize, { what: `${bufferSize} points wait` })

test('a flush that never works is overdue after two schedules, while points wait, and no longer when one has worked', async () => {
  const clock = testClock(Date.now())
  const service = await tracking(harness.given, { now: clock.now })
  harness.cleanUp.push(service.close)
  await harness.given.sql`ALTER TABLE tracking.tracks RENAME TO tracks_of_another_schema`
  clock.advance(11 * MINUTE_MS)
  expect(await health(service)).toMatchObject({ flush: 'ok', bufferSize: 0 })
  await checkin(service, 'pilgrim')
  await waiting(service, 1)
  expect((await service.post('/internal/flush')).status).toBe(500)
  expect(await health(service)).toMatchObject({ d1: 'ok', flush: 'overdue', lastFlush: null })

  await harness.given.sql`ALTER TABLE tracking.tracks_of_another_schema RENAME TO tracks`
  expect(await harness.flushed(service)).toBe(1)
  await checkin(service, 'pilgrim', 1)
  await waiting(service, 1)
  expect(await health(service)).toMatchObject({ flush: 'ok' })
  clock.advance(11 * MINUTE_MS)
  expect(await health(service)).toMatchObject({ flush: 'overdue' })
})

test('what an earlier process brought to Redis counts as waiting from the first moment on, also while Redis is away', async () => {
  const first = await tracking(harness.given)
  for (let at = 0; at < 3; at++) await checkin(first, 'pilgrim', at)
  await until(() => first.journal.stats().waiting === 0, { what: 'Redis has all three' })
  await first.close()
  await harness.given.redisServer.kill9()
  const second = await harness.start({}, { redisIsAway: true })
  expect(Number((await health(second)).bufferSize)).toBeGreaterThan(0)
  await harness.given.redisServer.restart()
  await waiting(second, 3)
})
