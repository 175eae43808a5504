import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { appendOnce } from '@palanquin/events/ordered/append'
import { consumeOrdered } from '@palanquin/events/ordered/consume'
import { orderedDeadLetters } from '@palanquin/events/ordered/dead-letters'
import type { Handle } from '@palanquin/events/ordered/dispatcher'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import type { Inbound } from './inbound.ts'
import { INBOX } from './queue.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
/** More than the attempts of an event that fails. */
const OFTEN = 7

const log = createLog({ service: 'line-bot', level: 'silent' })
let server: TestServer
let aside: Redis
const clients: Redis[] = []
const connect = (name: string, blocking = false): Redis => {
  const client = connectRedis({ url: server.url, name, log, blocking })
  clients.push(client)
  return client
}
beforeAll(async () => {
  server = await testRedis()
  aside = connect('aside')
  await until(() => aside.isReady, { what: 'a connection to Redis' })
})
beforeEach(async () => {
  await aside.del([INBOX.stream, INBOX.deadLetters])
  const event: Inbound = {
    id: Bun.randomUUIDv7(),
    atMs: Date.now(),
    userId: 'Uuser',
    inGroup: false,
    replyToken: null,
    what: { type: 'text', text: '里程' },
  }
  await until(() => appendOnce(aside, INBOX, [event]), { what: 'the event in the inbox' })
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await server.close()
})

/** A process of the bot; `kill` cuts its connections for good. */
function startProcess(handle: Handle<Inbound>) {
  const [redis, blocking] = [connect('process'), connect('reader', true)]
  const inbox = consumeOrdered({ queue: INBOX, redis, blocking, consumer: 'one', handle, log })
  inbox.start?.()
  const kill = () => {
    redis.destroy()
    blocking.destroy()
  }
  return {
    stop: async () => {
      await inbox.stop?.()
      kill()
    },
    kill,
  }
}

const readers = async () =>
  (await aside.clientList()).filter(({ name, cmd }) => name === 'reader' && cmd === 'xreadgroup')
/** As when Redis restarts: every other connection is lost. */
const dropConnections = async () => {
  for (const { id } of (await aside.clientList()).filter(({ name }) => name !== 'aside'))
    await aside.send(INBOX.stream, ['CLIENT', 'KILL', 'ID', String(id)])
}
const deadLetters = async () =>
  (await until(() => orderedDeadLetters(aside, INBOX).list(''), { what: 'the dead letters' })).letters
const isDone = async () => (await aside.xLen(INBOX.stream)) === 0

test('an event that was handled while Redis was lost is not handled again, nor dead-lettered', async () => {
  let handled = 0
  const bot = startProcess(async () => {
    handled++
    await dropConnections()
  })
  await until(isDone, { what: 'the event to be done' })
  await bot.stop()
  expect(handled).toBe(1)
  expect(await deadLetters()).toEqual([])
})

test('an event under way is not dead-lettered for how often its process lost Redis, nor for its crash', async () => {
  let begun = 0
  const first = startProcess(() => {
    begun++
    return new Promise(() => {})
  })
  for (let lost = 0; lost < OFTEN; lost++) {
    const [reader] = await until(
      async () => {
        const found = await readers()
        return begun === 1 && found.length === 1 && found
      },
      { what: 'the reader to wait for events' },
    )
    await dropConnections()
    await until(async () => !(await readers()).some(({ id }) => id === reader?.id), { what: 'its end' })
  }
  await until(async () => (await readers()).length === 1, { what: 'the reader to come again' })
  first.kill()
  let handled = 0
  const second = startProcess(async () => {
    handled++
  })
  await until(isDone, { what: 'the event to be done' })
  await second.stop()
  expect([begun, handled]).toEqual([1, 1])
  expect(await deadLetters()).toEqual([])
})
