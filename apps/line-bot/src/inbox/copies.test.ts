import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { allOf, startChat, type TestChat } from '../../test/chat.ts'
import { type InboxCopies, inboxCopies } from './copies.ts'
import type { Inbound } from './inbound.ts'
import { INBOX } from './queue.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'line-bot', level: 'silent' })
let chat: TestChat
let copies: InboxCopies
beforeAll(async () => {
  chat = await startChat()
  copies = inboxCopies({ db: chat.db, redis: chat.redis, log })
})
afterAll(() => chat.close())
beforeEach(async () => {
  chat.services.away.clear()
  await chat.reset()
  await chat.sql`TRUNCATE line.inbox`
})

const job = (name: string) => chat.bot.jobs.find((one) => one.name === name)?.run() ?? Promise.reject(name)
const copied = async (): Promise<string[]> =>
  (await chat.sql`SELECT id FROM line.inbox ORDER BY id`).map(({ id }) => String(id))
/** An event is known as handled a moment after it has left the inbox: until then its copy stays. */
const swept = () =>
  until(
    async () => {
      await job('handled events')
      return (await copied()).length === 0
    },
    { what: 'the end of the copy' },
  )
/** Past the time in which a webhook may be between Redis and its copy. */
const age = () => chat.sql`UPDATE line.inbox SET taken_at = taken_at - interval '1 minute'`
/** An event that waits: a location while tracking is away. */
async function waiting() {
  const person = await chat.participant()
  chat.services.away.add('tracking')
  const event = person.location({ lat: 24, lng: 120 })
  // An event that Redis took in too late has no copy: then as if it had not been sent.
  const taken = async () => (await chat.control.send(event)).ok || void (await lose(event.webhookEventId))
  await until(taken, { what: 'the webhook to be taken' })
  return { person, event }
}
/** Repeated while Redis is late. */
const restored = async () =>
  (await until(async () => ({ events: await copies.restore() }), { what: 'what Redis has' })).events
/** As after a power cut: Redis has lost its latest writes. */
async function lose(eventId: string) {
  const entries = await chat.redis.xRange(INBOX.stream, '-', '+')
  for (const { id, message } of entries ?? [])
    if (message.event?.includes(eventId)) await chat.redis.xDel(INBOX.stream, id)
  await chat.redis.del(INBOX.seenKey(eventId))
}

test('an event that was answered is in PostgreSQL until it is handled, and no longer', async () => {
  const { person, event } = await waiting()
  expect(await copied()).toEqual([event.webhookEventId])
  chat.services.away.clear()
  await chat.settled()
  await swept()
  expect(allOf(chat.received(person))).toContain('打卡成功')
})

test('events that Redis loses are appended again and answered; those that it has are not', async () => {
  const one = await waiting()
  const other = await waiting()
  await age()
  // A late Redis may have them again without saying so: then they are lost once more.
  const loseAndRestore = async () => {
    await lose(one.event.webhookEventId)
    return await copies.restore()
  }
  expect(await until(loseAndRestore, { what: 'the lost event' })).toBe(1)
  expect(await restored()).toBe(0)
  expect((await copied()).toSorted()).toEqual(
    [one.event.webhookEventId, other.event.webhookEventId].toSorted(),
  )
  chat.services.away.clear()
  await chat.settled()
  await until(() => chat.received(one.person).length > 0, { what: 'the answer' })
  for (const { person } of [one, other]) expect(chat.received(person)).toHaveLength(1)
})

test('the copy of an event that was handled by a process that died goes, and the event is not handled again', async () => {
  const person = await chat.participant()
  const event = person.text('地圖')
  await chat.send(person, event)
  await swept()
  await chat.sql`INSERT INTO line.inbox (id, event) VALUES (${event.webhookEventId}, ${JSON.stringify({
    id: event.webhookEventId,
    atMs: 1,
    userId: person.userId,
    inGroup: false,
    replyToken: null,
    what: { type: 'text', text: '地圖' },
  } satisfies Inbound)}::text::json)`
  await age()
  expect(await restored()).toBe(0)
  expect(await copied()).toEqual([])
  expect(await chat.redis.xLen(INBOX.stream)).toBe(0)
})

test('an event that LINE delivers again after it was handled leaves no copy', async () => {
  const person = await chat.participant()
  const event = person.text('地圖')
  await chat.send(person, event)
  await swept()
  await chat.deliver(event)
  expect(await copied()).toEqual([])
})

test('without PostgreSQL Redis alone has to do', async () => {
  const proxy = await faultProxy(chat.config.DATABASE_URL)
  const db = connectDatabase({ url: proxy.url, name: 'test', log })
  await proxy.set('refuse')
  const event = {
    id: 'an-event',
    atMs: 1,
    userId: null,
    inGroup: true,
    replyToken: null,
    what: { type: 'other' },
  }
  await inboxCopies({ db, redis: chat.redis, log }).keep([event as Inbound])
  expect(await copied()).toEqual([])
  await db.close()
  await proxy.close()
})

test('an erased user is in no copy; what others wrote stays', async () => {
  const leaver = await waiting()
  const stayer = await waiting()
  const erase = () =>
    chat.call('/internal/erase', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId: leaver.person.userId }),
    })
  await until(async () => (await erase()).status === 200, { what: 'the erasure' })
  expect(await copied()).toEqual([stayer.event.webhookEventId])
})
