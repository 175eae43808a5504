import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { createMetrics } from '@palanquin/service/metrics'
import { capturedLog } from '@palanquin/testing/captured-log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { event, type TestBus, testBus } from '../test/bus.ts'
import { testConsumers } from '../test/consumers.ts'
import { publish } from './publish.ts'
import { STREAM_KEY } from './stream.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())
const { consumer, effect, effectsOf, lettersOf, nothingPending, publishAll } = testConsumers(() => bus)

test('each group gets every event, those published before it was there too', async () => {
  const ids = await publishAll(['a', 'b'])
  const seen: Record<string, string[]> = { first: [], second: [] }
  for (const group of ['first', 'second'])
    bus.run(consumer({ group, handlers: { 'achievement.unlocked': ({ id }) => void seen[group]?.push(id) } }))
  ids.push(...(await publishAll(['c'])))
  // A slow Redis may make the consumer read one again.
  const distinct = (group: string) => [...new Set(seen[group])]
  await until(() => distinct('first').length === 3 && distinct('second').length === 3, {
    what: 'three events in each group',
  })
  expect([distinct('first'), distinct('second')]).toEqual([ids, ids])
})

test('an event that is delivered twice has its effect once', async () => {
  const twice = event('participant')
  await publish(bus.redis, twice)
  await publish(bus.redis, twice)
  const [last] = await publishAll(['last'])
  bus.run(consumer())
  await effectsOf([twice.id, last ?? ''])
  await nothingPending()
  expect(await bus.effects()).toEqual(
    new Map([
      [twice.id, 1],
      [last ?? '', 1],
    ]),
  )
})

test('two consumers that handle one event at the same time make its effect once', async () => {
  const ids = await publishAll(Array.from({ length: 20 }, (_, index) => `participant-${index}`))
  const both = ids.flatMap((id) => [effect(id), effect(id), effect(id)])
  await Promise.all(both)
  expect([...(await bus.effects()).values()]).toEqual(Array(20).fill(1))
})

test('a poison event is dead-lettered after five tries, with its error; those behind it are not delayed', async () => {
  const tries: string[] = []
  const [poison, ...others] = await publishAll(['poison', 'b', 'c'])
  bus.run(
    consumer({
      handlers: {
        'achievement.unlocked': async ({ id, data }) => {
          tries.push(data.userId)
          if (data.userId === 'poison') throw new Error('cannot digest')
          await effect(id)
        },
      },
    }),
  )
  await effectsOf(others)
  expect([...new Set(tries)]).toEqual(['poison', 'b', 'c'])
  const [letter] = await lettersOf(1)
  expect(letter).toMatchObject({
    group: 'readers',
    error: 'cannot digest',
    attempts: 5,
    event: { id: poison },
  })
  expect(tries.filter((name) => name === 'poison')).toHaveLength(5)
  await nothingPending()
})

test('an event whose data does not fit its schema goes to the dead letters, never to a handler', async () => {
  const fields = { id: crypto.randomUUID(), type: 'achievement.unlocked', at: '2026-04-17T14:05:00.000Z' }
  await bus.redis.xAdd(STREAM_KEY, '*', {
    ...fields,
    data: '{"userId": 7, "at": "2026-04-17T14:05:00.000Z"}',
  })
  await bus.redis.xAdd(STREAM_KEY, '*', { ...fields, id: crypto.randomUUID(), data: 'no JSON' })
  const [good] = await publishAll(['good'])
  bus.run(consumer())
  await effectsOf([good ?? ''])
  const letters = await lettersOf(2)
  expect(letters.map(({ error }) => error)).toEqual([
    expect.stringContaining('/data/userId'),
    expect.stringContaining('not JSON'),
  ])
  expect([...(await bus.effects()).keys()]).toEqual([good ?? ''])
})

test('an unknown type, and a known one that the group has no handler for, is passed over and counted', async () => {
  const registry = createMetrics('test')
  await bus.redis.xAdd(STREAM_KEY, '*', { id: 'x', type: 'of.tomorrow', at: 'now', data: '{}' })
  await publish(bus.redis, {
    ...event('x'),
    type: 'photos.changed',
    data: { userId: 'participant', count: 1 },
  })
  const [known] = await publishAll(['known'])
  bus.run(consumer({ metrics: registry }))
  await effectsOf([known ?? ''])
  await nothingPending()
  const text = await registry.metrics()
  expect(text).toMatch(/events_consumed_total\{group="readers",type="unknown",outcome="ignored",[^}]*\} 1/)
  expect(text).toMatch(
    /events_consumed_total\{group="readers",type="photos.changed",outcome="ignored",[^}]*\} 1/,
  )
  expect(text).toMatch(
    /events_consumed_total\{group="readers",type="achievement.unlocked",outcome="done",[^}]*\} 1/,
  )
})

test('a handler that never comes back counts as failed and holds up nothing for good', async () => {
  const [stuck, fine] = await publishAll(['stuck', 'fine'])
  const registry = createMetrics('test')
  const handled: string[] = []
  bus.run(
    consumer({
      metrics: registry,
      handlerDeadlineMs: 50,
      handlers: {
        // Without a store: the deadline holds for both.
        'achievement.unlocked': ({ id, data }) =>
          data.userId === 'stuck' ? new Promise<void>(() => {}) : void handled.push(id),
      },
    }),
  )
  await until(() => handled.includes(fine ?? ''), { what: 'the handling of the other' })
  const letters = await lettersOf(1)
  expect(letters[0]).toMatchObject({ event: { id: stuck } })
  expect(letters[0]?.error).toContain('did not answer within 50 ms')
})

test('the lag counts what is waiting and what has failed', async () => {
  const registry = createMetrics('test')
  await publishAll(['a', 'b', 'c'])
  bus.run(
    consumer({
      metrics: registry,
      claimIdleMs: 60,
      handlers: {
        'achievement.unlocked': () => {
          throw new StoreUnavailable('database')
        },
      },
    }),
  )
  await until(async () => /events_lag\{group="readers",[^}]*\} 3/.test(await registry.metrics()), {
    what: 'a lag of 3',
  })
})

test('a consumer that starts while all is well warns of nothing', async () => {
  const { log, lines } = capturedLog()
  const [redis, blocking] = [bus.connect(), bus.connect({ blocking: true })]
  await until(() => redis.isReady && blocking.isReady, { what: 'both connections' })
  bus.run(consumer({ log, redis, blocking }))
  await effectsOf(await publishAll(['a']))
  await nothingPending()
  // A Redis that stalls is worth a warning; that the consumer has just started is none.
  const warnings = lines.filter(({ level }) => level === 'warn' || level === 'error')
  expect(warnings.filter(({ reason }) => !/did not answer within/.test(String(reason)))).toEqual([])
})
