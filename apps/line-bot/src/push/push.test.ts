import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type TestPush, testPush } from '../../test/push-harness.ts'
import { pushStore } from './store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let harness: TestPush
beforeAll(async () => {
  harness = await testPush()
})
afterAll(() => harness.close())

const received = (userId: string) =>
  harness.stub.control.deliveries.received(userId).map(({ message }) => message)
const addParticipant = (userId: string, status = 'active') =>
  harness.db.query('INSERT INTO engagement.participants (user_id, status) VALUES ($1, $2)', [userId, status])

test('a push to all reaches friends and known participants once, and none who blocked, stopped or withdrew', async () => {
  const [blocked = '', stopped = '', withdrawn = '', ...reached] = await harness.friends(6)
  const [participant = ''] = harness.stub.control.people.addMany(1)
  await addParticipant(participant)
  await addParticipant('no-line-id')
  await addParticipant(withdrawn, 'withdrawn')
  await harness.db.query('UPDATE line.users SET following = false WHERE user_id = $1', [blocked])
  await harness.db.query('UPDATE line.users SET notifications = false WHERE user_id = $1', [stopped])
  const { status, body } = await harness.call('POST', '/push', { to: 'all', text: '起駕！' })
  expect(status).toBe(202)
  expect(body.data).toEqual({ pushId: expect.any(String), recipients: 6 })
  expect(await harness.finished(body.data?.pushId)).toMatchObject({
    state: 'sent',
    recipients: 6,
    sent: 4,
    failed: 0,
    blocked: 1,
    skipped: 1,
    reason: null,
  })
  for (const userId of [...reached, participant])
    expect(received(userId)).toEqual([{ type: 'text', text: '起駕！' }])
  for (const userId of [blocked, stopped, withdrawn]) expect(received(userId)).toEqual([])
})

test('named users get it once each; an id that is not LINE’s fails alone and never reaches LINE', async () => {
  const [one = '', two = ''] = await harness.friends(2)
  const { body } = await harness.call('POST', '/push', {
    to: { userIds: [one, two, one, 'U-walk-1'] },
    text: '集合',
  })
  expect(body.data?.recipients).toBe(3)
  expect(await harness.finished(body.data?.pushId)).toMatchObject({ state: 'sent', sent: 2, failed: 1 })
  expect([received(one), received(two)]).toEqual([
    [{ type: 'text', text: '集合' }],
    [{ type: 'text', text: '集合' }],
  ])
})

test('a role gets a push as a whole, except users who stopped notifications', async () => {
  const [volunteer = '', manager = '', stopped = ''] = await harness.friends(3)
  await harness.db.query(
    "INSERT INTO engagement.roles (user_id, role, given_by) VALUES ($1, 'volunteer', 'owner'), ($2, 'manager', 'owner'), ($3, 'volunteer', 'owner')",
    [volunteer, manager, stopped],
  )
  await harness.db.query('UPDATE line.users SET notifications = false WHERE user_id = $1', [stopped])
  const { body } = await harness.call('POST', '/push', { to: 'volunteers', text: '集合' })
  expect(await harness.finished(body.data?.pushId)).toMatchObject({ recipients: 2, sent: 1, skipped: 1 })
  expect([volunteer, manager, stopped].map((userId) => received(userId).length)).toEqual([1, 0, 0])
})

test('a user whom LINE cannot reach is counted as blocked, and not tried again', async () => {
  const unnamed = `U${'a'.repeat(32)}`
  for (const blocked of [1, 1]) {
    const { body } = await harness.call('POST', '/push', { to: { userIds: [unnamed] }, text: '你好' })
    expect(await harness.finished(body.data?.pushId)).toMatchObject({
      state: 'sent',
      sent: 0,
      failed: 0,
      blocked,
    })
  }
  expect(harness.stub.control.calls().filter(({ status }) => status === 400)).toHaveLength(1)
})

test('whom LINE reports as gone while they are erased is not written down again', async () => {
  const unnamed = `U${'b'.repeat(32)}`
  harness.stub.control.faults.order({ kind: 'slow', at: 'push', delayMs: 500 })
  const { body } = await harness.call('POST', '/push', { to: { userIds: [unnamed] }, text: '你好' })
  const rows = (condition: string) => harness.db.query(`SELECT FROM ${condition}`, [unnamed])
  const isUnderWay = async () =>
    (await rows('line.push_chunks WHERE attempts > 0 AND $1 = ANY (user_ids)')).length > 0
  await until(isUnderWay, { what: 'the request to LINE' })
  await harness.push.erase(unnamed)
  await harness.db.query('DELETE FROM line.users WHERE user_id = $1', [unnamed])
  await harness.finished(body.data?.pushId)
  expect(await rows('line.users WHERE user_id = $1')).toHaveLength(0)
})

test('an erasure takes what was said to that person alone, sent or not, and keeps what others were told', async () => {
  const [alone = '', other = ''] = await harness.friends(2)
  const say = (userIds: string[], text: string, more = {}) =>
    harness.call('POST', '/push', { to: { userIds }, text, ...more })
  const sent = await say([alone], 'words for one')
  await say([alone], 'later words for one', { scheduledAt: '2026-12-31T00:00:00Z' })
  await say([other], 'words for another')
  await say([alone, other], 'words for two')
  await harness.finished(sent.body.data?.pushId)
  await harness.db.query(
    "UPDATE line.push_chunks SET reason = 'LINE refuses words for one' WHERE push_id = $1",
    [String(sent.body.data?.pushId)],
  )
  await harness.push.erase(alone)
  const kept = JSON.stringify([
    await harness.db.query('SELECT * FROM line.pushes'),
    await harness.db.query('SELECT * FROM line.push_chunks'),
  ])
  expect(kept).not.toMatch(/words for one/)
  expect(kept).not.toContain(alone)
  for (const words of ['words for another', 'words for two']) expect(kept).toContain(words)
  await harness.db.query('DELETE FROM line.pushes WHERE released_at IS NULL')
})

test('a push goes into the timeline, and neither its text nor a name goes with it', async () => {
  const [one = ''] = await harness.friends(1)
  const { body } = await harness.call('POST', '/push', { to: { userIds: [one] }, text: '秘密' }, 3)
  const rows = await harness.db.query('SELECT type, data FROM line.outbox ORDER BY seq DESC LIMIT 1')
  expect(rows).toEqual([
    {
      type: 'admin.acted',
      data: {
        action: 'push.sent',
        by: 'owner',
        detail: { to: 'users', pushId: body.data?.pushId, recipients: 1 },
      },
    },
  ])
})

test('a scheduled push waits, goes to its audience of that time, and forgets erased users', async () => {
  const [stays = '', leaves = ''] = await harness.friends(2)
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
  const { status, body } = await harness.call('POST', '/push', {
    to: { userIds: [stays, leaves] },
    text: '明天見',
    scheduledAt,
  })
  expect(status).toBe(202)
  const pushId = body.data?.pushId
  await harness.push.release()
  expect((await harness.call('GET', `/push/${String(pushId)}`)).body.data).toMatchObject({
    state: 'scheduled',
    recipients: 2,
    sent: 0,
    scheduledAt,
    finishedAt: null,
  })
  expect(await harness.push.erase(leaves)).toEqual({ linePushes: 1 })
  await harness.db.query("UPDATE line.pushes SET scheduled_at = now() - interval '1 s' WHERE id = $1", [
    String(pushId),
  ])
  expect(await Promise.all([harness.push.release(), harness.push.release()])).toContain(1)
  expect(await harness.finished(pushId)).toMatchObject({ state: 'sent', recipients: 1, sent: 1 })
  expect(received(stays)).toEqual([{ type: 'text', text: '明天見' }])
  expect(received(leaves)).toEqual([])
  const left = await harness.db.query("SELECT 1 AS there FROM line.pushes WHERE audience ? 'userIds'")
  expect(left).toEqual([])
})

const FLEX_WITHOUT_TEXT = {
  type: 'flex',
  altText: '集合',
  contents: {
    type: 'bubble',
    body: { type: 'box', layout: 'vertical', contents: [{ type: 'text', text: '' }] },
  },
}

test('what LINE would not take is 400, in its words where it judges, and is neither stored nor sent', async () => {
  const [one = ''] = await harness.friends(1)
  const say = (messages: object[]) => harness.call('POST', '/push', { to: { userIds: [one] }, messages })
  const stored = async () => (await harness.db.query('SELECT FROM line.pushes')).length
  const before = await stored()
  expect(await say([FLEX_WITHOUT_TEXT])).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^LINE: .*messages\[0\]/) },
  })
  for (const messages of [[], Array(6).fill({ type: 'text', text: 'x' }), [{ type: 'hologram' }]])
    expect((await say(messages)).status).toBe(400)
  expect([await stored(), received(one)]).toEqual([before, []])
})

test('what no message can lack is 400 with its name, also while LINE does not answer', async () => {
  const [one = ''] = await harness.friends(1)
  const LONG = '起'.repeat(5_001)
  const https = { originalContentUrl: 'https://walk.example/a', previewImageUrl: 'https://walk.example/b' }
  const wrong: [object, string][] = [
    [{ type: 'text' }, 'messages[0].text'],
    [{ type: 'text', text: 7 }, 'messages[0].text'],
    [{ type: 'text', text: LONG }, 'messages[0].text'],
    [{ type: 'sticker', packageId: '1' }, 'messages[0].stickerId'],
    [{ type: 'image', ...https, previewImageUrl: 'http://walk.example/b' }, 'messages[0].previewImageUrl'],
    [{ type: 'audio', originalContentUrl: https.originalContentUrl }, 'messages[0].duration'],
    [{ type: 'location', title: '廟', address: '路', latitude: 91, longitude: 120 }, 'messages[0].latitude'],
    [{ type: 'flex', altText: '集合', contents: {} }, 'messages[0].contents'],
  ]
  for (const [message, where] of wrong) {
    harness.stub.control.faults.order({ kind: 'error', at: 'validate' })
    const { status, body } = await harness.call('POST', '/push', {
      to: { userIds: [one] },
      messages: [message],
    })
    expect([where, status, body.error]).toEqual([where, 400, expect.stringContaining(where)])
  }
  harness.stub.control.faults.clear()
  expect((await harness.call('POST', '/push', { to: 'all', text: LONG })).body.error).toStartWith('text: ')
})

test('while LINE does not answer a push is accepted, and fails with its reason if LINE refuses it then', async () => {
  const [one = ''] = await harness.friends(1)
  for (const kind of ['error', 'rate', 'reset'] as const) {
    harness.stub.control.faults.order({ kind, at: 'validate' })
    const { status, body } = await harness.call('POST', '/push', {
      to: { userIds: [one] },
      messages: [FLEX_WITHOUT_TEXT],
    })
    expect(status).toBe(202)
    expect(await harness.finished(body.data?.pushId)).toMatchObject({ failed: 1, reason: expect.any(String) })
  }
})

test('a scheduledAt that has passed is now, and one beyond a year is refused', async () => {
  const [one = ''] = await harness.friends(1)
  const at = (ms: number) =>
    harness.call('POST', '/push', { to: { userIds: [one] }, text: '嗨', scheduledAt: Date.now() + ms })
  const past = await at(-60_000)
  expect(await harness.finished(past.body.data?.pushId)).toMatchObject({ sent: 1, scheduledAt: null })
  const far = await at(367 * 86_400_000)
  expect([far.status, far.body.error]).toEqual([400, 'scheduledAt: expected a time within the next year'])
})

test('a push to all is stored before its recipients are listed, and any process sends it to them, once', async () => {
  const idle = await testPush({ sends: false })
  const ids = await idle.friends(3)
  const { body } = await idle.call('POST', '/push', { to: 'all', text: '起駕！' })
  expect(body.data).toMatchObject({ recipients: 3 })
  const path = `/push/${String(body.data?.pushId)}`
  expect((await idle.call('GET', path)).body.data).toMatchObject({ state: 'sending', recipients: 3, sent: 0 })
  const [left = ''] = ids
  await idle.db.query('UPDATE line.users SET following = false WHERE user_id = $1', [left])
  // Two processes at once, and one after them.
  const store = pushStore(idle.db, () => 'no mark')
  const released = await Promise.all([store.releaseMade(), store.releaseMade()])
  expect([released.sort(), await store.releaseMade()]).toEqual([[0, 1], 0])
  for (const part of idle.push.parts) await part.start?.()
  expect(await idle.finished(body.data?.pushId)).toMatchObject({ recipients: 3, sent: 2, blocked: 1 })
  expect(idle.stub.control.deliveries.all()).toHaveLength(2)
  for (const part of idle.push.parts) await part.stop?.()
  await idle.close()
})

test('an unknown push is 404, whatever its id looks like', async () => {
  for (const id of ['6f9a1c52-3c1b-4a4e-9a6e-0d3e5b7c9f10', 'nonsense'])
    expect((await harness.call('GET', `/push/${id}`)).status).toBe(404)
})

test('a volunteer cannot send', async () => {
  expect((await harness.call('POST', '/push', { to: 'all', text: '嗨' }, 1)).status).toBe(403)
})
