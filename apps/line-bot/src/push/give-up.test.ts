import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type TestPush, testPush } from '../../test/push-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
/** LINE forgets a retry key after 24 hours; an hour less covers what is under way. */
const JUST_BEFORE = '22:59:00'
const JUST_AFTER = '23:00:01'

let harness: TestPush
beforeEach(async () => {
  harness = await testPush()
})
afterEach(() => harness.close())

const calls = () => harness.stub.control.calls().filter(({ endpoint }) => endpoint === 'multicast').length
const answer = async (pushId: string) => (await harness.call('GET', `/push/${pushId}`)).body.data

/** The first try lies so long back, by the clock that all processes share; the next one is due now. */
const ago = (pushId: string, interval: string) =>
  harness.db.query(
    `UPDATE line.push_chunks SET first_at = clock_timestamp() - $2::interval, not_before = now()
      WHERE push_id = $1 AND state = 'waiting'`,
    [pushId, interval],
  )

async function refusedOnce(kind: 'error' | 'error-after') {
  const ids = await harness.friends(3)
  harness.stub.control.faults.order({ kind, at: 'multicast', times: 1_000 })
  const { body } = await harness.call('POST', '/push', { to: { userIds: ids }, text: '起駕！' })
  const pushId = String(body.data?.pushId)
  await until(() => calls() > 0, { what: 'a first try' })
  return { pushId, ids }
}

test('a push that LINE does not take is retried until shortly before 24 h, then given up, and its status says so', async () => {
  const { pushId } = await refusedOnce('error')
  const before = calls()
  await ago(pushId, JUST_BEFORE)
  await until(() => calls() > before, { what: 'another try' })
  expect(await answer(pushId)).toMatchObject({ state: 'sending', failed: 0, finishedAt: null })

  await ago(pushId, JUST_AFTER)
  const { reason, ...end } = await harness.finished(pushId)
  expect(end).toMatchObject({ state: 'failed', sent: 0, failed: 3 })
  expect(reason).toMatch(/^given up after \d attempts: LINE did not take it$/)
  expect(calls()).toBe(Number(/\d/.exec(String(reason))) - 1) // at the last one no request was sent any more
  expect(await harness.metrics()).toMatch(/^palanquin_line_push_recipients_total\{outcome="failed",.*\} 3$/m)
  expect(harness.stub.control.deliveries.all()).toEqual([])
})

test('no user gets a second message when LINE accepted a push and failed to say so for a day', async () => {
  const { pushId, ids } = await refusedOnce('error-after')
  await ago(pushId, JUST_AFTER)
  expect(await harness.finished(pushId)).toMatchObject({ state: 'failed', failed: 3 })
  harness.stub.control.faults.clear()
  const { body } = await harness.call('POST', '/push', { to: { userIds: ids }, text: '後' })
  await harness.finished(body.data?.pushId)
  for (const userId of ids)
    expect(harness.stub.control.deliveries.received(userId).map(({ message }) => message)).toEqual([
      { type: 'text', text: '起駕！' },
      { type: 'text', text: '後' },
    ])
})
