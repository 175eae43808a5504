import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { LineStub } from '@palanquin/line-simulator/stub'
import { dataOf } from '@palanquin/stack/api'
import { PIXEL } from '@palanquin/stack/testing/pixel'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { kill } from './kill.ts'
import { startWithLine } from './with-line.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
/** One more than a multicast may name: two requests to LINE, each retried. */
const FRIENDS = 999
const ANSWERS = { q1: [], q2: [], q3: { bus: 12 }, q4: [], q5: 1, q6: 'mixed', q7: 3, q8: 2, q9: 0 }
const Made = Type.Object({ pushId: Type.String(), recipients: Type.Integer() })
const Outcome = Type.Object({
  recipients: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  blocked: Type.Integer(),
  state: Type.String(),
})

let line: LineStub
let stack: ThrowawayStack
let close: () => Promise<void>
beforeAll(async () => {
  ;({ line, stack, close } = await startWithLine({
    PUBLIC_BASE_URL: 'https://walk.example',
    PUSH_SCHEDULE: '* * * * * *',
  }))
})
afterAll(() => close())

const received = (userId: string) =>
  line.control.deliveries
    .received(userId)
    .map(({ message }) => JSON.stringify('altText' in message ? message.altText : message))
const timesOf = (userId: string, words: string) =>
  received(userId).filter((one) => one.includes(words)).length
const receives = (userId: string, words: string) =>
  until(() => timesOf(userId, words) > 0, { what: `“${words}”` })
const owner = () => stack.api.as('owner')
const manager = () => stack.api.as('manager')
/** Requested once: an administrator's token has a rate limit. */
async function finished(pushId: string) {
  const done = async () =>
    (await stack.sql`SELECT 1 FROM line.pushes WHERE id = ${pushId} AND finished_at IS NOT NULL`).length > 0
  await until(done, { what: 'the push to be finished' })
  return dataOf(Outcome, await stack.api.get(`/push/${pushId}`, manager()))
}

/** A participant who meets all conditions of the achievement, by the chat and the survey form. */
async function unlocks(): Promise<string> {
  const { userId } = line.control.people.add({ displayName: '林媽祖' })
  const person = line.control.from(userId)
  for (const lat of [24.1, 24.2, 24.3]) await line.control.send(person.location({ lat, lng: 120.6 }))
  const survey = { userId, answers: ANSWERS, phone: '0912-345-678' }
  expect((await stack.api.post('/submit', survey)).status).toBe(200)
  return userId
}

test('with USER_AUTH=off, whatever names a joined device is the LINE id’s, and the device stays unknown', async () => {
  const { api } = stack
  const person = `U${'5'.repeat(32)}`
  const session = await api.post('/session', { device: true })
  const { userId: device } = dataOf(Type.Object({ userId: Type.String() }), session)
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const headers = { cookie, origin: stack.running().url }
  const liffIdToken = line.control.idTokens.issue({ userId: person })
  expect((await api.post('/session/link', { liffIdToken }, { headers })).status).toBe(200)
  const place = { lat: 24.3457, lng: 120.6238 }
  const points = [20, 10].map((ago) => ({ ...place, recordedAt: Date.now() - ago * 60_000 }))
  const replies = [
    await api.post('/checkin', { userId: device, ...place }),
    await api.post('/track/sync', { userId: device, points }),
    await api.post('/survey', { userId: device, answers: ANSWERS }),
    await api.post('/feedback', { userId: device, category: 'praise', message: '讚' }),
    await api.post('/user/sync', { userId: device, displayName: '阿嬤' }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200])
  await api.flush()
  const profile = await until(
    async () => {
      const known = await api.profile(person)
      return known.checkins === 1 && known
    },
    { what: 'the check-in' },
  )
  expect(profile).toMatchObject({ displayName: '阿嬤', surveyCompleted: 1 })
  expect((await api.get(`/user/${device}`)).status).toBe(404)
  const rows = async (table: string, id: string) =>
    (await stack.sql`SELECT count(*)::int AS n FROM ${stack.sql(table)} WHERE user_id = ${id}`)[0]?.n
  for (const [table, n] of [
    ['engagement.participants', 1],
    ['engagement.feedback', 1],
    ['tracking.points', 3],
  ] as const)
    expect([table, await rows(table, device), await rows(table, person)]).toEqual([table, 0, n])
})

test('a pilgrim uses the bot: welcome, check-in by location, photo, figures; each event counts once', async () => {
  const { control } = line
  const { userId } = control.people.add({ displayName: 'Alice', language: 'en', relation: 'none' })
  const alice = control.from(userId)
  const event = alice.follow()
  const forged = await control.send(event, { signature: 'A'.repeat(44) })
  expect(forged.answers[0]?.status).toBe(401)
  expect((await control.send(event, { signature: null })).answers[0]?.status).toBe(401)
  expect((await control.send(event)).ok).toBe(true)
  await receives(userId, 'Welcome, Alice')
  const sent = await control.send([
    alice.location({ lat: 24.3457, lng: 120.6238, title: 'Gongtian Temple' }),
    alice.image({ bytes: new Uint8Array(PIXEL), contentType: 'image/png' }),
  ])
  await receives(userId, 'Checked in')
  await receives(userId, '1 photo')
  for (const again of [await control.redeliver(sent, { times: 3 }), await control.redeliver([event])])
    expect(again.ok).toBe(true)
  await control.send(alice.text(' Ｄistance？'))
  await receives(userId, 'with 1 check-in')
  expect(await stack.api.profile(userId)).toMatchObject({
    displayName: 'Alice',
    language: 'en',
    checkins: 1,
    photos: 1,
  })
  expect(control.deliveries.repeated()).toEqual([])
})

test('a participant who requests it in the chat, and confirms, is erased', async () => {
  const { control } = line
  const { userId } = control.people.add()
  const person = control.from(userId)
  await control.send([person.location({ lat: 24.4, lng: 120.6 }), person.text('刪除我的資料')])
  await receives(userId, '真的要刪除')
  const question = control.deliveries.received(userId).at(-1)?.message
  const actions =
    question?.type === 'template' && 'actions' in question.template ? question.template.actions : []
  const yes = actions?.[0] && control.tap(userId, actions[0])
  if (!yes) throw new Error('the question has a yes')
  await control.send(yes)
  await receives(userId, '已經全部刪除')
  expect((await stack.api.get(`/user/${userId}`)).status).toBe(404)
})

test('only volunteers get alerts of a pause and its end; a scheduled push goes out on time; the menu is in both languages', async () => {
  const { control } = line
  const [volunteer = '', manages = ''] = control.people.addMany(2)
  for (const [userId, role] of Object.entries({ [volunteer]: 'volunteer', [manages]: 'manager' }))
    expect((await stack.api.post('/admin/roles', { userId, role }, owner())).status).toBe(200)
  for (const status of ['paused', 'paused', 'active'])
    expect((await stack.api.put('/admin/status', { status }, manager())).status).toBe(200)
  const scheduledAt = new Date(Date.now() + 2_000).toISOString()
  const later = await stack.api.post(
    '/push',
    { to: { userIds: [manages] }, text: '明天見', scheduledAt },
    manager(),
  )
  const { pushId } = dataOf(Made, later)
  // A busy machine may not draw both images in time: the request is then a 503, to be repeated.
  const menu = () =>
    until(
      async () => {
        const deployed = await stack.api.post('/admin/richmenu', {}, owner())
        return deployed.status === 200 && dataOf(Type.Object({ richMenuId: Type.String() }), deployed)
      },
      { what: 'the menu to be deployed' },
    )
  await menu()
  const { richMenuId } = await menu()
  expect(control.richMenus.all()).toHaveLength(2)
  expect(control.richMenus.default()).toBe(richMenuId)
  await receives(volunteer, '已恢復')
  await receives(manages, '明天見')
  expect(await finished(pushId)).toMatchObject({ state: 'sent', sent: 1 })
  expect([timesOf(volunteer, '已暫停'), timesOf(volunteer, '已恢復')]).toEqual([1, 1])
  expect([timesOf(manages, '已暫停'), timesOf(manages, '明天見')]).toEqual([0, 1])
})

test('a push to thousands and the end of the activity reach everyone once, through kill -9 of the bot and a failing LINE', async () => {
  const { control } = line
  const unlocked = [await unlocks(), await unlocks()]
  for (const userId of unlocked) await receives(userId, '恭喜解鎖成就卡')
  const [other = '', blocked = ''] = control.people.addMany(2)
  for (const userId of [other, blocked]) await control.send(control.from(userId).text('地圖'))
  await control.send(control.from(blocked).unfollow())
  const unfollowed = async () =>
    (await stack.sql`SELECT 1 FROM line.users WHERE user_id = ${blocked} AND NOT following`).length > 0
  await until(unfollowed, { what: 'the unfollow' })

  const crowd = control.people.addMany(FRIENDS)
  // The first request is accepted without a response, the next are accepted with an error, or rate-limited.
  control.faults.order({ kind: 'hang-after', at: 'multicast' })
  control.faults.order({ kind: 'error-after', at: 'multicast', times: 2 })
  control.faults.order({ kind: 'rate', at: 'multicast' })
  const pushed = await stack.api.post(
    '/push',
    { to: { userIds: [...crowd, blocked] }, text: '起駕！' },
    owner(),
  )
  const { pushId, recipients } = dataOf(Made, pushed)
  expect([pushed.status, recipients]).toEqual([202, FRIENDS + 1])
  expect((await stack.api.post('/admin/end-activity', {}, owner())).status).toBe(200)
  await until(() => control.deliveries.all().some(({ by }) => by === 'multicast'), {
    what: 'a request that LINE accepts',
  })
  kill(stack, 'line-bot')
  expect((await stack.api.post('/admin/end-activity', {}, owner())).status).toBe(200)

  const final = await finished(pushId)
  expect(final).toMatchObject({ sent: FRIENDS, failed: 0, blocked: 1 })
  for (const userId of unlocked) await receives(userId, '恭喜圓滿')
  await receives(other, '圓滿結束')
  expect(crowd.filter((userId) => timesOf(userId, '起駕') !== 1)).toEqual([])
  expect(unlocked.map((userId) => [timesOf(userId, '恭喜圓滿'), timesOf(userId, '圓滿結束')])).toEqual([
    [1, 0],
    [1, 0],
  ])
  const card = received(unlocked[0] ?? '').at(-1)
  expect(card).toMatch(/https:\/\/walk\.example\/c\/[A-Za-z0-9_-]{22}\.png/)
  expect(card).not.toContain(unlocked[0] ?? '')
  expect([
    timesOf(other, '圓滿結束'),
    received(blocked).filter((one) => one.includes('圓滿')).length,
  ]).toEqual([1, 0])
  expect(control.calls().some(({ status }) => status === 409)).toBe(true)
})
