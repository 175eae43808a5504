import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { entriesOf } from '@palanquin/events/stream'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { startBot, type TestBot } from '../../test/bot-harness.ts'
import { type Inbound, readInbound } from '../inbox/inbound.ts'
import { INBOX } from '../inbox/queue.ts'
import { isSigned } from './route.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bot: TestBot
beforeAll(async () => {
  bot = await startBot({ conversation: false })
})
afterAll(() => bot.close())
beforeEach(() => bot.redis.flushAll())

const kept = async (): Promise<(Inbound | null)[]> =>
  entriesOf(await bot.redis.xRange(INBOX.stream, '-', '+')).map(({ fields }) => readInbound(fields?.event))
/** Sends a body until Redis takes its events in time: each counts once. */
const take = (body: string) => until(async () => (await answered(body)) === 200, { what: 'the answer 200' })
/** How a body is answered; it is sent again where its connection was cut. */
const answered = (...sent: Parameters<typeof bot.line.control.sendBytes>) =>
  until(async () => (await bot.line.control.sendBytes(...sent))[0]?.status, { what: 'an answer' })
const someone = () => bot.line.control.from(bot.line.control.people.add().userId)

test('the signature is that of the documentation, and of no other body, secret or form', () => {
  const channelSecret = '8c570fa6dd201bb328f1c1eac23a96d8'
  const body = Buffer.from('{"destination":"U8e742f61d673b39c7fff3cecb7536ef0","events":[]}')
  const signature = 'GhRKmvmHys4Pi8DxkF4+EayaH0OqtJtaZxgTD9fMDLs='
  expect(isSigned(body, { signature, channelSecret })).toBe(true)
  for (const wrong of [null, '', signature.slice(0, -1), signature.toLowerCase(), ` ${signature}`])
    expect(isSigned(body, { signature: wrong, channelSecret })).toBe(false)
  expect(isSigned(body, { signature, channelSecret: `${channelSecret}0` })).toBe(false)
  for (let at = 0; at < body.length; at++) {
    const changed = Buffer.from(body)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(isSigned(changed, { signature, channelSecret })).toBe(false)
  }
})

test('a body without its signature is 401, and nothing of it is read or kept', async () => {
  const event = someone().text('里程')
  for (const signature of [null, '', 'AAAA'])
    expect(await answered(JSON.stringify({ events: [event] }), { signature })).toBe(401)
  expect(await answered('{bad', { signature: 'AAAA' })).toBe(401)
  expect(await kept()).toEqual([])
  await bot.deliver(event)
  expect(await kept()).toMatchObject([{ id: event.webhookEventId, what: { type: 'text', text: '里程' } }])
})

test('a signed body that is no webhook is 400', async () => {
  for (const body of ['{bad', '', '[]', 'null', '"text"', '{}', '{"events":{}}', '\u0000'])
    expect({ body, status: await answered(body) }).toEqual({ body, status: 400 })
})

test('a signed body is bounded like any other, which still fits as many events as LINE sends', async () => {
  const object = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1]))
  for (const hostile of [object(9_000), { events: [object(65)] }, { events: Array(200).fill(object(60)) }])
    expect(await answered(JSON.stringify(hostile))).toBe(400)
  const full = JSON.stringify({ destination: 'U', events: Array(150).fill(object(40)) })
  expect(await answered(full)).toBe(200)
})

test('the verify button, and the dummy events of old ones, are 200 and nothing is kept', async () => {
  await until(async () => (await bot.line.control.verify()).ok, { what: 'the answer to the button' })
  const dummy = {
    replyToken: '0'.repeat(32),
    type: 'message',
    timestamp: 1513669370317,
    source: { type: 'user', userId: 'Udeadbeefdeadbeefdeadbeefdeadbeef' },
    message: { id: '100001', type: 'text', text: 'Hello, world' },
  }
  expect(await answered(JSON.stringify({ events: [dummy] }))).toBe(200)
  expect(await kept()).toEqual([])
})

test('an event is kept once for 72 hours, however often and concurrently LINE delivers it', async () => {
  const { control } = bot.line
  // While Redis is late some of them are 503: then with another event.
  const sent = await until(
    async () => {
      await bot.redis.flushAll()
      const tried = await control.send(someone().text('地圖'), { times: 20 })
      return tried.ok && tried
    },
    { what: 'twenty answers 200' },
  )
  await until(async () => (await control.redeliver(sent)).ok, { what: 'the redelivery to be taken' })
  expect(await kept()).toHaveLength(1)
  const ttl = await bot.redis.pTTL(INBOX.seenKey(sent.events[0]?.webhookEventId ?? ''))
  expect(ttl).toBeGreaterThan(71.9 * 3_600_000)
  expect(ttl).toBeLessThanOrEqual(72 * 3_600_000)
})

test('one bad event, of whatever kind, never holds up its batch', async () => {
  const good = [someone().text('一'), someone().text('二')]
  const [first, second] = good
  if (!first || !second) throw new Error('two were made')
  const bad: unknown[] = [
    null,
    7,
    'event',
    [],
    {},
    { ...first, webhookEventId: 'not an id!' },
    { ...first, webhookEventId: 'x2', source: undefined },
    { ...first, webhookEventId: 'x3', source: { type: 'user', userId: 'not a user!' } },
    { ...first, webhookEventId: 'x4', message: { type: 'location', latitude: 'x' } },
    { ...first, webhookEventId: 'x5', message: null },
    someone().unknown(),
    someone().unknownMessage(),
  ]
  await take(JSON.stringify({ destination: 'U', events: [first, ...bad, second] }))
  expect((await kept()).map((event) => event?.id)).toEqual([first.webhookEventId, second.webhookEventId])
})

test('an event whose time is none, or beyond all time, happened now', async () => {
  const before = Date.now()
  const times = ['soon', undefined, -1, 1e300]
  const events = times.map((timestamp, index) => ({
    ...someone().text('里程'),
    webhookEventId: `timeless${index}`,
    timestamp,
  }))
  await take(JSON.stringify({ destination: 'U', events }))
  const kepts = await kept()
  expect(kepts).toHaveLength(times.length)
  for (const event of kepts) {
    expect(event?.atMs).toBeGreaterThanOrEqual(before)
    expect(event?.atMs).toBeLessThanOrEqual(Date.now())
  }
})

test('standby events, events without a user and messages to others in a group are ignored', async () => {
  const { control } = bot.line
  const user = control.people.add().userId
  const group = control.people.addGroup([user]).id
  const events = [
    control.from(user).text('里程', { mode: 'standby' }),
    control.from(user).text('里程', { withoutSource: true }),
    control.from(user).accountLink('failed'),
    control.from(group, user).text('今天天氣真好'),
    control.from(group, user).text('/unknown'),
    control.from(group, user).location({ lat: 24, lng: 120 }),
    control.from(group).join(),
    control.from(user).externalImage('https://pictures.example/1.jpg'),
    control.from(user).unsend('1'),
  ]
  await bot.deliver(events)
  expect(await kept()).toEqual([])
})

test('in a group a mention of the bot, and a command after a slash, are kept without the mention', async () => {
  const { control } = bot.line
  const user = control.people.add().userId
  const group = control.people.addGroup([user]).id
  const mentionees = [{ index: 3, length: 5, type: 'user' as const, userId: 'Ubot', isSelf: true }]
  await bot.deliver([
    control.from(group, user).text('請問 @小幫手 地圖', { mentionees }),
    control.from(group).text('／地圖'),
    control
      .from(group, user)
      .text('@大家 地圖', { mentionees: [{ index: 0, length: 3, type: 'all' as const }] }),
  ])
  expect(await kept()).toMatchObject([
    { inGroup: true, userId: user, what: { type: 'text', text: '請問 地圖' } },
    { inGroup: true, userId: null, what: { type: 'text', text: '地圖' } },
  ])
})

test('no more is kept than the bot needs: a long text is cut, and tokens of quotes are not there', async () => {
  await bot.deliver(someone().text('好'.repeat(5000)))
  const [entry] = entriesOf(await bot.redis.xRange(INBOX.stream, '-', '+'))
  expect(entry?.fields?.event?.length).toBeLessThan(700)
  expect(entry?.fields?.event).not.toContain('quoteToken')
})

test('while Redis is away it is 503 with Retry-After, and the redelivery is taken', async () => {
  const { control } = bot.line
  const event = someone().text('里程')
  await bot.redisServer.kill9()
  const sent = await until(
    async () => {
      const tried = await control.send(event)
      return tried.answers[0]?.status && tried
    },
    { what: 'an answer' },
  )
  expect(sent.answers[0]?.status).toBe(503)
  await bot.redisServer.restart()
  await until(() => bot.redis.isReady, { what: 'Redis to be back' })
  await until(async () => (await control.redeliver(sent)).ok, { what: 'the redelivery to be taken' })
  // A killed Redis may also have lost that it was emptied before this test.
  const ids = (await kept()).map((inbound) => inbound?.id)
  expect(ids.filter((id) => id === event.webhookEventId)).toHaveLength(1)
})

test('where LINE is not configured it is 503, whatever is signed', async () => {
  const { app } = bot.another({ line: null })
  const answer = await app.handle(
    new Request('http://line-bot/webhook', {
      method: 'POST',
      headers: { 'x-internal-token': bot.config.INTERNAL_TOKEN, 'x-line-signature': 'x' },
      body: '{"events":[]}',
    }),
  )
  expect(answer.status).toBe(503)
})
