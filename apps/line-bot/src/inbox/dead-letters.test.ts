import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { appendOnce } from '@palanquin/events/ordered/append'
import { orderedDeadLetters } from '@palanquin/events/ordered/dead-letters'
import { type OrderedGroup, orderedGroup } from '@palanquin/events/ordered/group'
import { DeadlineExceeded } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import type { Inbound } from './inbound.ts'
import { INBOX } from './queue.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const CLI = fileURLToPath(new URL('./dead-letters-cli.ts', import.meta.url))

let server: TestServer
let redis: Redis
let group: OrderedGroup
let letters: ReturnType<typeof orderedDeadLetters>
const clients: Redis[] = []
beforeAll(async () => {
  server = await testRedis()
  const log = createLog({ service: 'line-bot', level: 'silent' })
  for (const blocking of [false, true])
    clients.push(connectRedis({ url: server.url, name: 'test', log, blocking }))
  const [one, other] = clients
  if (!one || !other) throw new Error('two clients were made')
  redis = one
  await until(() => clients.every(({ isReady }) => isReady), { what: 'connections to Redis' })
  group = orderedGroup(INBOX, { redis, blocking: other, consumer: 'one' })
  letters = orderedDeadLetters(redis, INBOX)
})
/** From the beginning again where Redis was late: these calls do not wait for it. */
const unlessLate = (body: () => Promise<void>) => async () => {
  for (;;)
    try {
      // A late read of the attempt before would take the messages of this one.
      for (const client of clients) await client.ping()
      await redis.del([INBOX.stream, INBOX.deadLetters])
      await group.ensure()
      return await body()
    } catch (error) {
      if (!(error instanceof DeadlineExceeded || error instanceof StoreUnavailable)) throw error
    }
}
afterAll(async () => {
  for (const client of clients) client.destroy()
  await server.close()
})

let events = 0
const message = (text: string): Inbound => ({
  id: `webhook-event-${events++}`,
  atMs: Date.now(),
  userId: 'Uuser',
  inGroup: false,
  replyToken: null,
  what: { type: 'text', text },
})
/** Messages that were tried five times and dead-lettered. */
async function deadLettered(...texts: string[]) {
  await appendOnce(redis, INBOX, texts.map(message))
  for (const entry of await group.readNew(texts.length))
    await group.deadLetter(entry, `Error: cannot\nread it`)
  return await listed()
}
const listed = async () => (await letters.list('')).letters
const handedOut = async () => (await group.readNew(10)).map(({ event }) => JSON.parse(event ?? '').what.text)

test(
  'a dead message that is requeued is handled again, as it was and once',
  unlessLate(async () => {
    const [first, second] = await deadLettered('里程', '等級')
    expect(first).toMatchObject({ what: 'text', reason: 'Error: cannot\nread it' })
    expect(await letters.requeue(first?.entryId ?? '')).toBe(true)
    expect(await letters.requeue(first?.entryId ?? '')).toBe(false)
    expect(await handedOut()).toEqual(['里程'])
    expect(await listed()).toEqual(second ? [second] : [])
    expect(await letters.discard(second?.entryId ?? '')).toBe(true)
    expect(await letters.requeue('no-such')).toBe(false)
    expect(await listed()).toEqual([])
  }),
)

test(
  'the command lists one line a message without personal data, shows one whole, and puts all back',
  unlessLate(async () => {
    const [first] = await deadLettered('里程', '等級')
    const command = async (...args: string[]) => {
      const child = Bun.spawn([process.execPath, CLI, ...args], {
        env: { ...process.env, REDIS_URL: server.url },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const text = (await child.stdout.text()) + (await child.stderr.text())
      if (/did not answer within|cannot be reached/.test(text)) throw new StoreUnavailable('command', text)
      return { code: await child.exited, lines: text.trim().split('\n'), text }
    }
    const list = await command('list')
    expect([list.code, list.lines.length, list.lines.at(-1)]).toEqual([0, 3, '2 dead messages of the chat.'])
    expect(list.lines[0]).toStartWith(`chat:${first?.entryId}  `)
    expect(list.text).not.toMatch(/Uuser|里程/)
    expect((await command('show', `chat:${first?.entryId}`)).text).toContain('里程')
    expect((await command('requeue', 'all')).lines).toEqual([
      '2 dead messages of the chat put back in the stream.',
    ])
    expect(await handedOut()).toEqual(['里程', '等級'])
  }),
)
