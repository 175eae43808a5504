import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type TestPush, testPush } from '../../test/push-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let harness: TestPush
beforeAll(async () => {
  harness = await testPush()
})
afterAll(() => harness.close())

const send = async (to: object | string, text: string, scheduledAt?: string): Promise<string> => {
  const later = scheduledAt === undefined ? {} : { scheduledAt }
  const { status, body } = await harness.call('POST', '/push', { to, text, ...later })
  expect(status).toBe(202)
  return String(body.data?.pushId)
}
type Listed = { items: Record<string, unknown>[]; nextCursor: string | null; total: number }
const list = async (query = ''): Promise<Listed> => {
  const { status, body } = await harness.call('GET', `/push${query}`)
  expect(status).toBe(200)
  return body.data as unknown as Listed
}
const remove = (pushId: string, tier?: number) => harness.call('DELETE', `/push/${pushId}`, undefined, tier)
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()

test('what was sent and is scheduled is listed by pages, newest first; what the service sends by itself is not', async () => {
  const [one = ''] = await harness.friends(1)
  const sent = await send({ userIds: [one] }, '集合')
  await harness.finished(sent)
  const scheduled = await send('all', '明天見', TOMORROW)
  await harness.db.query(
    `INSERT INTO line.pushes (cause, by, audience, messages) VALUES ('activity:paused', 'manager', '{"to":"volunteers"}', '[]')`,
  )
  expect(await list()).toMatchObject({
    items: [
      {
        pushId: scheduled,
        state: 'scheduled',
        to: 'all',
        text: '明天見',
        by: 'manager',
        scheduledAt: TOMORROW,
      },
      { pushId: sent, state: 'sent', to: 'users', text: '集合', recipients: 1, sent: 1, scheduledAt: null },
    ],
    nextCursor: null,
    total: 2,
  })
  const first = await list('?limit=1')
  expect(first).toMatchObject({ items: [{ pushId: scheduled }], total: 2 })
  expect(await list(`?limit=1&cursor=${first.nextCursor}`)).toMatchObject({
    items: [{ pushId: sent }],
    nextCursor: null,
  })
  const { pushId, state, recipients, reason, createdAt } = (await list()).items[1] ?? {}
  expect((await harness.call('GET', `/push/${sent}`)).body.data).toMatchObject({
    pushId,
    state,
    recipients,
    reason,
    createdAt,
  })
  expect((await harness.call('GET', '/push?cursor=x')).status).toBe(400)
  expect((await harness.call('GET', '/push', undefined, 1)).status).toBe(403)
})

test('a scheduled push is taken back once, is on record, and is never sent; one that was sent is not', async () => {
  const [one = ''] = await harness.friends(1)
  const pushId = await send({ userIds: [one] }, '不會送出', TOMORROW)
  expect((await remove(pushId, 1)).status).toBe(403)
  expect((await remove(pushId)).body.data).toEqual({ pushId })
  expect((await remove(pushId)).status).toBe(404)
  expect((await harness.call('GET', `/push/${pushId}`)).status).toBe(404)
  const acts = await harness.db.query(
    `SELECT data -> 'by' AS by FROM line.outbox WHERE data ->> 'action' = 'push.taken_back' AND data -> 'detail' ->> 'pushId' = $1`,
    [pushId],
  )
  expect(acts).toEqual([{ by: 'manager' }])
  await harness.push.release()
  const sent = await send({ userIds: [one] }, '送出')
  await harness.finished(sent)
  expect((await remove(sent)).status).toBe(409)
  expect((await remove('nonsense')).status).toBe(404)
  expect(harness.stub.control.deliveries.received(one).map(({ message }) => message)).toEqual([
    { type: 'text', text: '送出' },
  ])
})

test('a push that is due is either sent or taken back, however they meet', async () => {
  const [one = ''] = await harness.friends(1)
  for (let round = 0; round < 10; round++) {
    const pushId = await send({ userIds: [one] }, `第 ${round} 回`, TOMORROW)
    await harness.db.query("UPDATE line.pushes SET scheduled_at = now() - interval '1 s' WHERE id = $1", [
      pushId,
    ])
    const [removed, released] = await Promise.all([remove(pushId), harness.push.release()])
    expect([removed.status, released]).toEqual(removed.status === 200 ? [200, 0] : [409, 1])
    if (removed.status === 409) await harness.finished(pushId)
  }
})
