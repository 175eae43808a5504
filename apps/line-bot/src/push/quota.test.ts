import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type TestPush, testPush } from '../../test/push-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const QUOTA = 100
let aheadMs = 0
let harness: TestPush
beforeAll(async () => {
  harness = await testPush({ quota: QUOTA, now: () => Date.now() + aheadMs })
})
afterAll(() => harness.close())

const push = async (to: object | string) => {
  const { body } = await harness.call('POST', '/push', { to, text: '嗨' })
  return harness.finished(body.data?.pushId)
}
const multicasts = () =>
  harness.stub.control.calls().filter(({ endpoint }) => endpoint === 'multicast').length
const usage = async () => (await harness.call('GET', '/line-usage', undefined, 1)).body.data

test('the usage is LINE’s own, and read once a minute', async () => {
  const looks = () => harness.stub.control.calls().filter(({ endpoint }) => endpoint.includes('quota')).length
  const asked = await Promise.all([usage(), usage(), usage()])
  expect(asked[0]).toEqual({ type: 'limited', quota: 100, used: 0, remaining: 100, asOf: expect.any(String) })
  expect(asked[2]).toEqual(asked[0])
  const before = looks()
  harness.stub.control.quota.consume(5)
  expect(await usage()).toMatchObject({ used: 0 })
  expect(looks()).toBe(before)
  aheadMs += 61_000
  expect(await usage()).toMatchObject({ used: 5, remaining: 95 })
  expect(looks()).toBeGreaterThan(before)
})

test('a push that would take from the reserve fails as a whole, says why, and is not sent to LINE', async () => {
  const ids = await harness.friends(90)
  expect(await push({ userIds: ids })).toMatchObject({
    state: 'failed',
    sent: 0,
    failed: 90,
    reason:
      "quota: this takes 90 messages; 95 of this month's 100 are left, of which 10 are kept for pause notices and the final summary",
  })
  expect(multicasts()).toBe(0)
  expect(await push({ userIds: ids.slice(0, 85) })).toMatchObject({ state: 'sent', sent: 85 })
  // The next one counts it before LINE reports it.
  expect(await push({ userIds: ids.slice(0, 1) })).toMatchObject({ state: 'failed', failed: 1 })
})

test('a pause notice may take the reserve', async () => {
  const [volunteer = ''] = await harness.friends(1)
  await harness.db.query(
    "INSERT INTO engagement.roles (user_id, role, given_by) VALUES ($1, 'volunteer', 'owner')",
    [volunteer],
  )
  const at = '2026-05-01T15:00:00.000Z'
  await harness.push.handlers['activity.changed']?.({
    id: '6f9a1c52-3c1b-4a4e-9a6e-0d3e5b7c9f10',
    type: 'activity.changed',
    at,
    data: { status: 'paused', since: at, by: 'owner' },
  })
  const [notice] = await harness.db.query<{ id: string }>(
    "SELECT id FROM line.pushes WHERE cause LIKE 'activity.changed:%'",
  )
  expect(await harness.finished(notice?.id)).toMatchObject({ state: 'sent', sent: 1 })
})

test('a quota that LINE reports as spent is not tried again', async () => {
  aheadMs += 61_000
  harness.stub.control.quota.limit = 10_000
  const ids = await harness.friends(1_000)
  harness.stub.control.faults.order({ kind: 'quota', at: 'multicast', times: 100 })
  const before = multicasts()
  const { state, failed, sent, reason } = await push({ userIds: ids })
  expect({ state, failed, sent }).toEqual({ state: 'failed', failed: 1_000, sent: 0 })
  expect(reason).toContain("this month's messages are used up")
  expect(multicasts() - before).toBeLessThanOrEqual(3)
  harness.stub.control.faults.clear()
})

test('a 429 that does not say which it is, is the quota’s when LINE’s figures have no harness', async () => {
  aheadMs += 61_000
  const { control } = harness.stub
  const ids = await harness.friends(700)
  expect(await usage()).toMatchObject({ remaining: 10_000 - control.quota.consumed() })
  aheadMs += 10_000
  control.quota.consume(10_000 - control.quota.consumed() - 100) // by an organiser, in LINE's own console
  control.faults.order({ kind: 'rate', at: 'multicast', times: 100 })
  expect(await push({ userIds: ids })).toMatchObject({ state: 'failed', sent: 0, failed: 700 })
  control.faults.clear()
})

test('without LINE nothing pretends to be sent: 503 with a sentence', async () => {
  const bare = await testPush({ configured: false })
  const sent = await bare.call('POST', '/push', { to: 'all', text: '嗨' })
  expect([sent.status, sent.body.error]).toEqual([503, expect.stringContaining('LINE is not configured')])
  expect((await bare.call('GET', '/line-usage', undefined, 1)).status).toBe(503)
  expect((await bare.call('POST', '/push', { to: 'all' })).status).toBe(400)
  await bare.close()
})
