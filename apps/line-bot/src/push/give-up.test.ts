import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { HANG_MS } from '@palanquin/testing/hang'
import { until } from '@palanquin/testing/until'
import { type TestPush, testPush } from '../../test/push-harness.ts'

setDefaultTimeout(HANG_MS)
/** LINE forgets a retry key after 24 hours; an hour less covers what is under way. */
const JUST_BEFORE = '22:59:00'
const JUST_AFTER = '23:00:01'

let room: TestPush
beforeEach(async () => {
  room = await testPush()
})
afterEach(() => room.close())

const calls = () => room.stub.control.calls().filter(({ endpoint }) => endpoint === 'multicast').length
const answer = async (pushId: string) => (await room.call('GET', `/push/${pushId}`)).body.data

/** The first try lies so long back, by the clock that all processes share; the next one is due now. */
const ago = (pushId: string, interval: string) =>
  room.db.query(
    `UPDATE line.push_chunks SET first_at = clock_timestamp() - $2::interval, not_before = now()
      WHERE push_id = $1 AND state = 'waiting'`,
    [pushId, interval],
  )

async function refusedOnce(kind: 'error' | 'error-after') {
  const ids = await room.friends(3)
  room.stub.control.faults.order({ kind, at: 'multicast', times: 1_000 })
  const { body } = await room.call('POST', '/push', { to: { userIds: ids }, text: '起駕！' })
  const pushId = String(body.data?.pushId)
  await until(() => calls() > 0, { what: 'a first try' })
  return { pushId, ids }
}

test('a push that LINE does not take is tried until shortly before 24 h, then given up, and everybody can see it', async () => {
  const { pushId } = await refusedOnce('error')
  const before = calls()
  await ago(pushId, JUST_BEFORE)
  await until(() => calls() > before, { what: 'another try' })
  expect(await answer(pushId)).toMatchObject({ state: 'sending', failed: 0, finishedAt: null })

  await ago(pushId, JUST_AFTER)
  const { reason, ...end } = await room.finished(pushId)
  expect(end).toMatchObject({ state: 'failed', sent: 0, failed: 3 })
  expect(reason).toMatch(/^given up after \d attempts: LINE did not take it$/)
  expect(calls()).toBe(Number(/\d/.exec(String(reason))) - 1) // at the last one LINE was not asked any more
  expect(await room.metrics()).toMatch(/^palanquin_line_push_recipients_total\{outcome="failed",.*\} 3$/m)
  expect(room.stub.control.deliveries.all()).toEqual([])
})

test('nobody gets a second message from what LINE took and would not admit for a day', async () => {
  const { pushId, ids } = await refusedOnce('error-after')
  await ago(pushId, JUST_AFTER)
  expect(await room.finished(pushId)).toMatchObject({ state: 'failed', failed: 3 })
  room.stub.control.faults.clear()
  const { body } = await room.call('POST', '/push', { to: { userIds: ids }, text: '後' })
  await room.finished(body.data?.pushId)
  for (const userId of ids)
    expect(room.stub.control.deliveries.received(userId).map(({ message }) => message)).toEqual([
      { type: 'text', text: '起駕！' },
      { type: 'text', text: '後' },
    ])
})
