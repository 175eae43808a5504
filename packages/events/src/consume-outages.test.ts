import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '@palanquin/db/client'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { createMetrics } from '@palanquin/service/metrics'
import { capturedLog } from '@palanquin/testing/captured-log'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { untilWritten } from '@palanquin/testing/redis-server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { EFFECT, silentLog, type TestBus, testBus } from '../test/bus.ts'
import { testConsumers } from '../test/consumers.ts'
import type { ConsumeOptions } from './consume.ts'
import { listDeadLetters } from './dead-letters.ts'
import { applyOnce } from './once.ts'
import { STREAM_KEY } from './stream.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())
const { consumer, effectsOf, nothingPending, pending, publishAll } = testConsumers(() => bus)

test("a store that is away uses up none of an event's tries: it is handled, in order, when the store is back", async () => {
  const ids = await publishAll(['a', 'b', 'c'])
  const handled: string[] = []
  let apiErrors = 7
  const { log, lines } = capturedLog()
  bus.run(
    consumer({
      log,
      claimIdleMs: 100,
      handlers: {
        'achievement.unlocked': ({ id }) => {
          if (--apiErrors > 0) throw new StoreUnavailable('database')
          handled.push(id)
        },
      },
    }),
  )
  await until(() => handled.length === 3, { what: 'the handling of all three' })
  await nothingPending()
  expect(handled).toEqual(ids)
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
  const warnings = lines.filter(({ level }) => level === 'warn' || level === 'error')
  // That of a slow Redis is another outage.
  expect(warnings.filter(({ part }) => part !== 'the consumer readers')).toHaveLength(1)
})

test("restarts while a store is away use up none of an event's tries either", async () => {
  const ids = await publishAll(['a'])
  for (let round = 0; round < 8; round++) {
    const asked = Promise.withResolvers<void>()
    const part = consumer({
      handlers: {
        'achievement.unlocked': () => {
          asked.resolve()
          throw new StoreUnavailable('database')
        },
      },
    })
    void part.start?.()
    await asked.promise
    await part.stop?.()
  }
  bus.run(consumer())
  await effectsOf(ids)
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
})

test('PostgreSQL away for longer than an entry may lie idle: two consumers, each effect once, no dead letters', async () => {
  const proxy = await faultProxy(bus.databaseUrl)
  const db = connectDatabase({ url: proxy.url, name: 'test', log: silentLog })
  const { log, lines } = capturedLog()
  const handlers: ConsumeOptions['handlers'] = {
    'achievement.unlocked': async ({ id }) => {
      await applyOnce(db, { schema: 'engagement', eventId: id, effects: [EFFECT] })
    },
  }
  await proxy.set('refuse')
  const ids = await publishAll(['a', 'b', 'c', 'd'])
  for (const name of ['one', 'two']) bus.run(consumer({ consumer: name, handlers, log, claimIdleMs: 50 }))
  await until(() => lines.filter(({ event }) => event === 'part.retried').length > 6, {
    what: 'several tries',
  })
  await proxy.set('pass')
  await effectsOf(ids)
  await nothingPending()
  expect([...(await bus.effects()).values()]).toEqual([1, 1, 1, 1])
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
  await db.close()
  await proxy.close()
})

test('Redis suspended past all deadlines: nothing that was being delivered is forgotten', async () => {
  const { log, lines } = capturedLog()
  bus.run(consumer({ log, claimIdleMs: 60_000 }))
  const early = await publishAll(['early'])
  await effectsOf(early)
  bus.server.suspend()
  await until(() => lines.some(({ level }) => level === 'warn'), { what: 'the warning' })
  bus.server.resume()
  await until(() => bus.redis.isReady, { what: 'the connection to the resumed Redis' })
  const late = await publishAll(['late-1', 'late-2'])
  await effectsOf([...early, ...late])
  expect([...(await bus.effects()).values()]).toEqual([1, 1, 1])
})

test('what another consumer took and never finished is claimed and done', async () => {
  const ids = await publishAll(['a', 'b', 'c'])
  await bus.redis.xGroupCreate(STREAM_KEY, 'readers', '0')
  await bus.redis.xReadGroup('readers', 'dead', { key: STREAM_KEY, id: '>' })
  bus.run(consumer())
  await effectsOf(ids)
  await nothingPending()
})

test('a consumer that starts again under its name finishes first what it had begun', async () => {
  const begun = await publishAll(['a', 'b'])
  await bus.redis.xGroupCreate(STREAM_KEY, 'readers', '0')
  await bus.redis.xReadGroup('readers', 'one', { key: STREAM_KEY, id: '>' })
  const fresh = await publishAll(['c'])
  const handled: string[] = []
  bus.run(
    consumer({
      claimIdleMs: 60_000,
      handlers: { 'achievement.unlocked': ({ id }) => void handled.push(id) },
    }),
  )
  await until(() => handled.length === 3, { what: 'three events' })
  expect(handled).toEqual([...begun, ...fresh])
})

test('stop waits for the running handler and leaves the rest of its batch to others', async () => {
  const ids = await publishAll(['a', 'b'])
  const gate = Promise.withResolvers<void>()
  const handled: string[] = []
  const first = consumer({
    handlers: {
      'achievement.unlocked': async ({ id }) => {
        handled.push(id)
        await gate.promise
      },
    },
  })
  void first.start?.()
  await until(() => handled.length === 1, { what: 'the first handler' })
  const stopped = first.stop?.()
  gate.resolve()
  await stopped
  expect(handled).toEqual([ids[0] ?? ''])
  expect(await pending()).toBe(1)
})

test('Redis emptied under a running consumer: the group is made again and new events arrive', async () => {
  const before = await publishAll(['before'])
  bus.run(consumer())
  await effectsOf(before)
  await bus.redis.flushAll()
  const after = await publishAll(['after', 'and-more'])
  await effectsOf(after)
})

test('Redis killed and restarted: every acknowledged event has its effect, once', async () => {
  bus.run(consumer())
  const early = await publishAll(Array.from({ length: 30 }, (_, index) => `early-${index}`))
  // For what a kill takes along the outbox keeps what it has published.
  await untilWritten(() => bus.redis.info('persistence'))
  await bus.server.kill9()
  await bus.server.restart()
  await until(() => bus.redis.isReady, { what: 'the connection to the restarted Redis' })
  const late = await publishAll(Array.from({ length: 30 }, (_, index) => `late-${index}`))
  await effectsOf([...early, ...late])
  expect([...(await bus.effects()).values()].every((times) => times === 1)).toBe(true)
})

test('an entry that was trimmed away before it was done is counted as lost, and the others go on', async () => {
  const registry = createMetrics('test')
  await publishAll(['old'])
  await bus.redis.xGroupCreate(STREAM_KEY, 'readers', '0')
  await bus.redis.xReadGroup('readers', 'dead', { key: STREAM_KEY, id: '>' })
  await bus.redis.xTrim(STREAM_KEY, 'MAXLEN', 0)
  const fresh = await publishAll(['fresh'])
  bus.run(consumer({ metrics: registry }))
  await effectsOf(fresh)
  await nothingPending()
  await until(async () => /type="unknown",outcome="lost",[^}]*\} 1/.test(await registry.metrics()), {
    what: 'the count of what was lost',
  })
})
