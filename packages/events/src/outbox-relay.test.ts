import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '@palanquin/db/client'
import { capturedLog } from '@palanquin/testing/captured-log'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { silentLog, type TestBus, testBus, unlocking } from '../test/bus.ts'
import { type OutboxRelay, outboxRelay, PUBLISH_MS_MAX, SOON_MS_MAX } from './outbox-relay.ts'
import { contentOf, entriesOf, STREAM_KEY } from './stream.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())

/** What is published goes at the next pass; how long it stays in earnest has tests of its own. */
const relayOf = (overrides: Partial<Parameters<typeof outboxRelay>[0]> = {}) =>
  outboxRelay({
    db: bus.db,
    schema: 'tracking',
    redis: bus.redis,
    log: silentLog,
    settledAfterMs: 0,
    ...overrides,
  })

const participants = (count: number, prefix = 'participant') =>
  Array.from({ length: count }, (_, index) => unlocking(`${prefix}-${index}`))

/** The participants of the events in the stream, in their order. */
async function published(): Promise<string[]> {
  return entriesOf(await bus.redis.xRange(STREAM_KEY, '-', '+')).map(({ fields }) => {
    const content = contentOf(fields ?? {})
    if (!('event' in content) || content.event.type !== 'achievement.unlocked') throw new Error('not ours')
    return content.event.data.userId
  })
}

const outboxIsEmpty = async () => (await bus.db.query('SELECT 1 AS x FROM tracking.outbox')).length === 0
const arePublished = (count: number) => async () => (await published()).length >= count

/** `publishNow` resolves after a second at most; what it began may then still be under way. */
const publishUntil = (condition: () => Promise<boolean>, relay: OutboxRelay = relayOf()) =>
  until(
    async () => {
      await relay.publishNow()
      return condition()
    },
    { what: 'the publication' },
  )
/** What the levels say of the first outage, its end included. */
const firstOutage = (lines: readonly { level: string }[]) =>
  lines.flatMap(({ level }) => (level === 'debug' ? [] : [level])).slice(0, 2)

test('what stands in the outbox is published in order, once, and removed', async () => {
  await bus.insertOutbox(participants(120))
  await publishUntil(outboxIsEmpty)
  expect(await published()).toEqual(participants(120).map(({ data }) => data.userId))
})

test('what Redis loses with its last moment is published again, in order, and what it has is not', async () => {
  const relay = relayOf({ settledAfterMs: 600_000 })
  await bus.insertOutbox(participants(60, 'early'))
  await publishUntil(arePublished(60), relay)
  // What a power cut leaves of an append-only file.
  const entries = entriesOf(await bus.redis.xRange(STREAM_KEY, '-', '+'))
  // Rows that were published within one millisecond are listed by their text: '10' before '9'.
  const notes = await bus.redis.zRange('{ev}:published:tracking', 0, -1)
  notes.sort((a, b) => Number(a) - Number(b))
  await bus.redis.xDel(
    STREAM_KEY,
    entries.slice(50).map(({ entryId }) => entryId),
  )
  await bus.redis.zRem('{ev}:published:tracking', notes.slice(50))
  await bus.insertOutbox(participants(1, 'late'))
  await publishUntil(async () => (await published()).includes('late-0'), relay)
  expect(await published()).toEqual(
    [...participants(60, 'early'), ...participants(1, 'late')].map(({ data }) => data.userId),
  )
})

test('Redis emptied: what was published within its last seconds is published again', async () => {
  const relay = relayOf({ settledAfterMs: 600_000 })
  await bus.insertOutbox(participants(3))
  await publishUntil(arePublished(3), relay)
  await bus.redis.flushAll()
  await publishUntil(arePublished(3), relay)
  expect(await published()).toEqual(['participant-0', 'participant-1', 'participant-2'])
})

test('a row stays until Redis has had its event for some seconds, and leaves no note behind', async () => {
  const early = relayOf({ settledAfterMs: 600_000 })
  await bus.insertOutbox(participants(3))
  await publishUntil(arePublished(3), early)
  await early.publishNow()
  expect(await outboxIsEmpty()).toBe(false)
  await publishUntil(outboxIsEmpty, relayOf({ settledAfterMs: 5_000 }))
  await until(async () => (await bus.redis.exists('{ev}:published:tracking')) === 0, {
    what: 'the end of the note',
  })
  expect(await published()).toHaveLength(3)
})

test('a request waits for its events, and not for a store that does not answer', async () => {
  const relay = relayOf()
  await bus.insertOutbox(participants(1))
  const startedMs = performance.now()
  await relay.publishSoon()
  if (performance.now() - startedMs < SOON_MS_MAX) expect(await published()).toEqual(['participant-0'])
  await publishUntil(arePublished(1), relay)
  const stuck = relayOf({ db: { query: () => Promise.withResolvers<never>().promise } })
  await stuck.publishSoon()
})

test('without a call an event is published within the interval', async () => {
  bus.run(relayOf())
  await bus.insertOutbox(participants(1))
  await until(outboxIsEmpty, { what: 'the publication' })
  expect(await published()).toEqual(['participant-0'])
})

test('two copies of a service publish each event once while all is well', async () => {
  const [one, other] = [bus.run(relayOf()), bus.run(relayOf({ redis: bus.connect() }))]
  for (let round = 0; round < 10; round++) {
    await bus.insertOutbox(participants(7, `round-${round}`))
    await Promise.all([one.publishNow(), other.publishNow()])
  }
  await until(outboxIsEmpty, { what: 'the publication' })
  const names = await published()
  expect(names).toHaveLength(70)
  expect(names).toEqual([...new Set(names)])
})

test('publishNow resolves when what was inserted before it is published, also while a pass runs', async () => {
  const relay = relayOf()
  for (let round = 0; round < 20; round++) {
    const earlier = relay.publishNow()
    await bus.insertOutbox(participants(1, `round-${round}`))
    const startedMs = performance.now()
    await relay.publishNow()
    if (performance.now() - startedMs < PUBLISH_MS_MAX)
      expect((await published()).at(-1)).toBe(`round-${round}-0`)
    await earlier
  }
})

test('a relay whose lease went to another while it was reading publishes nothing of what it read', async () => {
  await bus.insertOutbox(participants(3))
  const slow = relayOf({
    db: {
      query: async (text, parameters, options) => {
        const rows = await bus.db.query<never>(text, parameters, options)
        // It sleeps past its lease right after it has read, and another relay does the work and goes on.
        if (text.includes('ORDER BY seq')) {
          await bus.redis.del('{ev}:relay:tracking')
          await relayOf().publishNow()
          await bus.insertOutbox(participants(1, 'later'))
          await relayOf().publishNow()
        }
        return rows
      },
    },
  })
  await slow.publishNow()
  await publishUntil(arePublished(4))
  expect((await published()).slice(0, 4)).toEqual([
    'participant-0',
    'participant-1',
    'participant-2',
    'later-0',
  ])
  expect((await published()).filter((name) => name === 'participant-0')).toHaveLength(1)
})

test('Redis away: the rows wait, the relay says so once, and they are published when it is back', async () => {
  const { log, lines } = capturedLog()
  bus.run(relayOf({ log }))
  await bus.server.kill9()
  await bus.insertOutbox(participants(3))
  await until(() => lines.length > 2, { what: 'some failed tries' })
  await bus.server.restart()
  await until(outboxIsEmpty, { what: 'the publication after Redis came back' })
  expect(await published()).toEqual(['participant-0', 'participant-1', 'participant-2'])
  await until(() => lines.some(({ level }) => level === 'info'), { what: 'the good news' })
  expect(firstOutage(lines)).toEqual(['warn', 'info'])
})

test('PostgreSQL away: the relay says so once, and goes on when it is back', async () => {
  const proxy = await faultProxy(bus.databaseUrl)
  const db = connectDatabase({ url: proxy.url, name: 'test', log: silentLog })
  const { log, lines } = capturedLog()
  bus.run(relayOf({ db, log }))
  await proxy.set('refuse')
  await bus.insertOutbox(participants(3))
  await until(() => lines.length > 2, { what: 'some failed tries' })
  await proxy.set('pass')
  await until(outboxIsEmpty, { what: 'the publication after PostgreSQL came back' })
  await until(() => lines.some(({ level }) => level === 'info'), { what: 'the good news' })
  expect(firstOutage(lines)).toEqual(['warn', 'info'])
  await db.close()
  await proxy.close()
})

test('publishNow resolves while Redis does not answer', async () => {
  await bus.insertOutbox(participants(1))
  bus.server.suspend()
  await relayOf().publishNow()
  bus.server.resume()
})

test('the reply of a publication is lost: it is published again, and nothing is left out', async () => {
  const proxy = await redisProxy(bus.server.url)
  const redis = bus.connect({ url: proxy.url })
  await until(() => redis.isReady, { what: 'the connection through the proxy' })
  await bus.insertOutbox(participants(3))
  const relay = bus.run(relayOf({ redis, intervalMs: 60_000 }))
  await publishUntil(arePublished(3), relay)
  await proxy.set('drop-reply')
  await bus.insertOutbox(participants(2, 'later'))
  await relay.publishNow()
  await proxy.set('pass')
  await publishUntil(outboxIsEmpty, relay)
  const names = await published()
  expect(names.slice(0, 4)).toEqual(['participant-0', 'participant-1', 'participant-2', 'later-0'])
  expect(new Set(names).size).toBe(5)
  await proxy.close()
})

test('an outbox row that is no valid event does not hold up those behind it', async () => {
  await bus.db.query(
    `INSERT INTO tracking.outbox (type, data) VALUES ('achievement.unlocked', '{"userId": 7}')`,
  )
  await bus.insertOutbox(participants(1))
  await publishUntil(outboxIsEmpty)
  expect(await bus.redis.xLen(STREAM_KEY)).toBe(2)
})

test('entries older than the retention are trimmed, however many there are, and younger ones never', async () => {
  const monthAgoMs = Date.now() - 30 * 86_400_000
  const ids = Array.from({ length: 500 }, (_, index) => `${monthAgoMs}-${index + 1}`)
  await Promise.all(ids.map((id) => bus.redis.xAdd(STREAM_KEY, id, { type: 'old' })))
  await bus.insertOutbox(participants(150))
  await publishUntil(outboxIsEmpty)
  // `~`: Redis trims whole nodes of 100 entries, so some old ones may share a node with young ones.
  expect(await bus.redis.xLen(STREAM_KEY)).toBeLessThan(150 + 100)
  expect(entriesOf(await bus.redis.xRange(STREAM_KEY, String(monthAgoMs + 1), '+'))).toHaveLength(150)
})
