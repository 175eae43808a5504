import { afterEach, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { testClock } from '@palanquin/testing/clock'
import { isRecord } from './is-record.ts'
import { type LineStub, testLine } from './stub.ts'

let line: LineStub
beforeEach(() => {
  line = testLine({ quota: 1_000, now: testClock().now }) // time stands still but for `advance`
})
afterEach(() => line.close())

type Reply = { status: number; body: Record<string, unknown>; headers: Headers }
async function call(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const answer = await fetch(line.apiBase + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${line.channelAccessToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const json: unknown = await answer.json()
  return { status: answer.status, body: isRecord(json) ? json : {}, headers: answer.headers }
}
const text = (words: string) => [{ type: 'text', text: words }]
const push = (to: string, messages: unknown, headers?: Record<string, string>) =>
  call('/v2/bot/message/push', { to, messages }, headers)
const reply = (replyToken: string | undefined, messages: unknown = text('hi')) =>
  call('/v2/bot/message/reply', { replyToken, messages })
const received = (userId: string) =>
  line.control.deliveries.received(userId).map(({ message }) => (message.type === 'text' ? message.text : ''))

test('a push arrives once, in order, and every answer has a request id', async () => {
  const { userId } = line.control.people.add()
  for (const words of ['one', 'two', 'three']) expect((await push(userId, text(words))).status).toBe(200)
  const { body, headers } = await push(userId, [...text('four'), ...text('five')])
  expect(body.sentMessages).toHaveLength(2)
  expect(headers.get('x-line-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(received(userId)).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(line.control.deliveries.repeated()).toEqual([])
})

test('without the channel access token nothing is sent', async () => {
  const { userId } = line.control.people.add()
  for (const authorization of ['', 'Bearer wrong', line.channelAccessToken])
    expect((await push(userId, text('hi'), { authorization })).status).toBe(401)
  expect(received(userId)).toEqual([])
})

test('a reply token works once, within its minute, and for its own chat', async () => {
  const { userId } = line.control.people.add()
  const { replyToken } = line.control.from(userId).text('hello')
  expect((await reply('0123456789abcdef0123456789abcdef')).body).toEqual({ message: 'Invalid reply token' })
  expect((await reply(replyToken, [{ type: 'text' }])).status).toBe(400) // refused, so not used
  expect((await reply(replyToken)).status).toBe(200)
  expect((await reply(replyToken)).body).toEqual({ message: 'Invalid reply token' })
  expect(received(userId)).toEqual(['hi'])
  const late = line.control.from(userId).text('again')
  line.control.clock.advance(61_000)
  expect((await reply(late.replyToken)).status).toBe(400)
  await line.control.redeliver(late) // its minute starts over
  expect((await reply(late.replyToken)).status).toBe(200)
  const old = line.control.from(userId).text('old')
  line.control.clock.advance(21 * 60_000)
  await line.control.redeliver(old)
  expect((await reply(old.replyToken)).status).toBe(400)
})

test('a repeated retry key is 409 with the accepted request, and each person gets the message once', async () => {
  const { userId } = line.control.people.add()
  const key = { 'x-line-retry-key': randomUUID() }
  const first = await push(userId, text('once'), key)
  const again = await push(userId, text('once'), key)
  expect(again.status).toBe(409)
  expect(again.headers.get('x-line-accepted-request-id')).toBe(first.headers.get('x-line-request-id'))
  expect(again.body).toEqual({
    message: 'The retry key is already accepted',
    sentMessages: first.body.sentMessages,
  })
  expect(received(userId)).toEqual(['once'])
  line.control.clock.advance(24 * 3_600_000)
  expect((await push(userId, text('once'), key)).status).toBe(200) // forgotten after a day
  expect(line.control.deliveries.repeated()).toMatchObject([{ to: userId, times: 2 }])
})

test('a retry key must be a UUID, is not taken by a refused request, and has no place in a reply', async () => {
  const { userId } = line.control.people.add()
  expect((await push(userId, text('hi'), { 'x-line-retry-key': 'job-1' })).status).toBe(400)
  const key = { 'x-line-retry-key': randomUUID() }
  expect((await push(userId, [{ type: 'text', text: '' }], key)).status).toBe(400)
  expect((await push(userId, text('hi'), key)).status).toBe(200)
  const { replyToken } = line.control.from(userId).text('hello')
  const answer = await call('/v2/bot/message/reply', { replyToken, messages: text('hi') }, key)
  expect(answer.status).toBe(400)
})

test('one malformed id fails a whole multicast; 500 ids are taken and 501 are not', async () => {
  const ids = line.control.people.addMany(501)
  const multicast = (to: string[]) => call('/v2/bot/message/multicast', { to, messages: text('all') })
  expect((await multicast(ids)).status).toBe(400)
  const [first = '', ...rest] = ids.slice(0, 500)
  expect((await multicast([first, 'Ubad', ...rest.slice(1)])).body).toEqual({
    message: 'The property, to[1], in the request body is invalid (line: -, column: -)',
  })
  expect(line.control.deliveries.all()).toEqual([])
  expect(await multicast([first, ...rest])).toMatchObject({ status: 200, body: {} })
  expect(line.control.deliveries.all()).toHaveLength(500)
})

test('who blocked the bot gets nothing and the answer is 200 all the same; an unknown id is 400', async () => {
  const [blocked, friend] = [line.control.people.add({ relation: 'blocked' }), line.control.people.add()]
  expect((await push(blocked.userId, text('hi'))).status).toBe(200)
  await call('/v2/bot/message/multicast', { to: [blocked.userId, friend.userId], messages: text('all') })
  expect([received(blocked.userId), received(friend.userId)]).toEqual([[], ['all']])
  expect((await push(`U${'0'.repeat(32)}`, text('hi'))).body).toEqual({ message: 'Failed to send messages' })
  expect((await call(`/v2/bot/profile/${blocked.userId}`)).status).toBe(404)
  expect((await call(`/v2/bot/profile/${friend.userId}`)).body).toMatchObject({ language: 'zh-TW' })
})

test('the quota counts recipients, replies are free, and a spent one is 429 until the next month', async () => {
  const ids = line.control.people.addMany(3)
  line.control.quota.limit = 5
  const broadcast = () => call('/v2/bot/message/broadcast', { messages: [...text('a'), ...text('b')] })
  expect((await broadcast()).status).toBe(200)
  expect((await call('/v2/bot/message/quota')).body).toEqual({ type: 'limited', value: 5 })
  expect((await call('/v2/bot/message/quota/consumption')).body).toEqual({ totalUsage: 3 })
  expect(await broadcast()).toMatchObject({
    status: 429,
    body: { message: 'You have reached your monthly limit.' },
  })
  const { replyToken } = line.control.from(ids[0] ?? '').text('hello')
  expect((await reply(replyToken)).status).toBe(200)
  expect((await call('/v2/bot/message/quota/consumption')).body).toEqual({ totalUsage: 3 })
  line.control.clock.advance(32 * 86_400_000)
  expect((await broadcast()).status).toBe(200)
})

test('too many requests in a second are the other 429', async () => {
  line.control.rates.set('push', { requests: 2, perS: 1 })
  const { userId } = line.control.people.add()
  const statuses = []
  for (const words of ['a', 'b', 'c']) statuses.push((await push(userId, text(words))).status)
  expect(statuses).toEqual([200, 200, 429])
  line.control.clock.advance(1_000)
  expect((await push(userId, text('d'))).status).toBe(200)
})

test('the data host and the API are two hosts, as at LINE', async () => {
  const { userId } = line.control.people.add()
  const event = line.control
    .from(userId)
    .image({ bytes: new Uint8Array([1, 2, 3]), contentType: 'image/png' })
  const { message } = event
  const path = `/v2/bot/message/${message?.id}/content`
  const authorization = `Bearer ${line.channelAccessToken}`
  const answer = await fetch(line.dataApiBase + path, { headers: { authorization } })
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
  expect((await call(path)).status).toBe(404)
  line.control.from(userId).unsend(message?.id ?? '')
  expect((await fetch(line.dataApiBase + path, { headers: { authorization } })).status).toBe(410)
})

test('what is no JSON, of another type, unknown or too large is refused as such', async () => {
  const { userId } = line.control.people.add()
  expect((await call('/v2/bot/message/push', '{')).status).toBe(400)
  expect((await call('/v2/bot/message/push', '[]')).status).toBe(400)
  expect((await push(userId, text('hi'), { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await call('/v2/bot/message/push', 'x'.repeat(2 * 1024 * 1024 + 1))).status).toBe(413)
  expect((await call('/v2/bot/message/push')).status).toBe(405)
  expect((await call('/v2/bot/message/shout', {})).status).toBe(404)
})
