import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { HANG_MS } from '@palanquin/testing/hang'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { until } from '@palanquin/testing/until'
import { appendToInbox } from './append.ts'
import { consumeInbox } from './consume.ts'
import { listDeadLetters } from './dead-letters.ts'
import type { Handle } from './dispatcher.ts'
import { inboxGroup } from './group.ts'
import { INBOX } from './keys.ts'

setDefaultTimeout(HANG_MS)
/** More than an event that fails is tried. */
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
  await aside.del([INBOX, '{line}:dead'])
  await appendToInbox(aside, [
    {
      ...{ id: Bun.randomUUIDv7(), atMs: Date.now(), userId: 'Uwalker', inGroup: false, replyToken: null },
      what: { type: 'text', text: '里程' },
    },
  ])
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await server.close()
})

/** A process of the bot; `kill` takes its connections, and nothing else is heard of it. */
function life(handle: Handle) {
  const [redis, blocking] = [connect('life'), connect('reader', true)]
  const group = inboxGroup({ redis, blocking, consumer: 'one' })
  const inbox = consumeInbox({ redis, blocking, group, handle, log })
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
/** As when Redis restarts: everybody else has to begin anew. */
const dropConnections = async () => {
  for (const { id } of (await aside.clientList()).filter(({ name }) => name !== 'aside'))
    await aside.send(INBOX, ['CLIENT', 'KILL', 'ID', String(id)])
}
const isDone = async () => (await aside.xLen(INBOX)) === 0

test('an event that was handled while Redis was lost is not handled again, nor given up', async () => {
  let handled = 0
  const bot = life(async () => {
    handled++
    await dropConnections()
  })
  await until(isDone, { what: 'the event to be done' })
  await bot.stop()
  expect(handled).toBe(1)
  expect((await listDeadLetters(aside)).letters).toEqual([])
})

test('an event in hand is not given up for how often its process lost Redis, nor for its death', async () => {
  let begun = 0
  const first = life(() => {
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
  const second = life(async () => {
    handled++
  })
  await until(isDone, { what: 'the event to be done' })
  await second.stop()
  expect([begun, handled]).toEqual([1, 1])
  expect((await listDeadLetters(aside)).letters).toEqual([])
})
