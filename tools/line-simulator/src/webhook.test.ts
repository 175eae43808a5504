import { afterEach, beforeEach, expect, test } from 'bun:test'
import { redelivered, type WebhookEvent } from './events.ts'
import { type LineStub, testLine } from './stub.ts'
import { signatureOf } from './webhook-sender.ts'

type Taken = { body: { destination: string; events: WebhookEvent[] }; isSigned: boolean }
let line: LineStub
let bot: Bun.Server<undefined>
let taken: Taken[]
let answer: () => Response | Promise<Response>
let userId: string
beforeEach(() => {
  line = testLine()
  userId = line.control.people.add({ relation: 'none' }).userId
  taken = []
  answer = () => new Response()
  bot = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const bytes = await request.text()
      const isSigned = request.headers.get('x-line-signature') === signatureOf(line.channelSecret, bytes)
      taken.push({ body: JSON.parse(bytes), isSigned })
      return answer()
    },
  })
  line.control.listenAt(bot.url.href)
})
afterEach(async () => {
  await bot.stop(true)
  await line.close()
})

test('a signature is that of the known sample', () => {
  const body = '{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}'
  expect(signatureOf('8c570fa6dd201bb328f1c1eac23a96d8', body)).toBe(
    'GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs=',
  )
})

test('an event goes out signed, with an id that sorts by time, and what happened has happened', async () => {
  const person = line.control.from(userId)
  const sent = await line.control.send(person.follow())
  expect(sent).toMatchObject({ ok: true, answers: [{ status: 200 }] })
  expect(taken).toMatchObject([
    {
      isSigned: true,
      body: { destination: line.botUserId, events: [{ type: 'follow', source: { type: 'user', userId } }] },
    },
  ])
  expect(line.control.people.get(userId).relation).toBe('friend')
  line.control.clock.advance(1)
  const later = person.text('里程')
  expect(later.webhookEventId).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(later.webhookEventId > (sent.events[0]?.webhookEventId ?? '')).toBe(true)
  await line.control.send(person.unfollow())
  expect(line.control.people.get(userId).relation).toBe('blocked')
  expect(person.follow()).toMatchObject({ follow: { isUnblocked: true } })
})

test('a redelivery has the same id and reply token; doubled and out of order are as one asks', async () => {
  const person = line.control.from(userId)
  const sent = await line.control.send([person.text('one'), person.text('two')])
  await line.control.redeliver(sent)
  await line.control.redeliver(sent.events.toReversed(), { times: 2 })
  const ids = taken.map(({ body }) => body.events.map(({ webhookEventId }) => webhookEventId))
  const [first = []] = ids
  expect(ids).toEqual([first, first, first.toReversed(), first.toReversed()])
  expect(taken[1]?.body.events).toEqual(sent.events.map(redelivered))
})

test('a wrong or missing signature can be sent, and the verify request is signed', async () => {
  await line.control.send(line.control.from(userId).text('hi'), { signature: 'AAAA' })
  await line.control.send(line.control.from(userId).text('hi'), { signature: null })
  await line.control.verify()
  expect(taken.map(({ isSigned, body }) => [isSigned, body.events.length])).toEqual([
    [false, 1],
    [false, 1],
    [true, 0],
  ])
})

test('an answer after two seconds counts as none', async () => {
  answer = () => Bun.sleep(30_000).then(() => new Response())
  const { ok, answers } = await line.control.send(line.control.from(userId).text('hi'))
  expect({ ok, status: answers[0]?.status }).toEqual({ ok: false, status: null })
  expect(answers[0]?.tookMs).toBeWithin(1_990, 20_000)
})

test('an unfollow, a standby event, and one without a source have no reply token', () => {
  const person = line.control.from(userId)
  expect(person.unfollow().replyToken).toBeUndefined()
  expect(person.text('hi', { mode: 'standby' })).not.toHaveProperty('replyToken')
  const failed = person.accountLink('failed', { withoutSource: true })
  expect(failed).not.toHaveProperty('source')
  expect(failed).not.toHaveProperty('replyToken')
})

test('a group speaks as a group, and a reply to it arrives there', async () => {
  const group = line.control.people.addGroup([userId])
  const event = line.control.from(group.id, userId).text('@bot hi', {
    mentionees: [{ index: 0, length: 4, type: 'user', userId: line.botUserId, isSelf: true }],
  })
  expect(event.source).toEqual({ type: 'group', groupId: group.id, userId })
  await fetch(`${line.apiBase}/v2/bot/message/reply`, {
    method: 'POST',
    headers: { authorization: `Bearer ${line.channelAccessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ replyToken: event.replyToken, messages: [{ type: 'text', text: 'hi' }] }),
  })
  expect(line.control.deliveries.received(group.id)).toHaveLength(1)
  expect(line.control.deliveries.received(userId)).toEqual([])
})

test('a tap on a button is what LINE makes of it', () => {
  const { tap } = line.control
  expect(tap(userId, { type: 'postback', data: 'v=1&a=level' })?.postback).toEqual({ data: 'v=1&a=level' })
  expect(tap(userId, { type: 'message', text: '等級' })?.message).toMatchObject({
    type: 'text',
    text: '等級',
  })
  expect(tap(userId, { type: 'datetimepicker', data: 'd', mode: 'date' }, '2026-04-12')?.postback).toEqual({
    data: 'd',
    params: { date: '2026-04-12' },
  })
  expect(tap(userId, { type: 'uri', uri: 'https://example.com' })).toBeUndefined()
})
