import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/refusal'
import { createMetrics } from '@palanquin/service/metrics'
import { capturedLog } from '@palanquin/testing/captured-log'
import { until } from '@palanquin/testing/until'
import { type ConsumeOptions, consume } from './consume.ts'
import { listDeadLetters } from './dead-letters.ts'
import { applyOnce } from './once.ts'
import { publish } from './publish.ts'
import { STREAM_KEY } from './stream.ts'
import { EFFECT, event, silentLog, type TestBus, testBus } from './test-bus.ts'

setDefaultTimeout(60_000)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())

/** A consumer whose effect is a row per event; abandoned entries are claimed after 200 ms. */
const consumer = (overrides: Partial<ConsumeOptions> = {}) =>
  consume({
    redis: bus.redis,
    blocking: bus.connect({ blocking: true }),
    group: 'readers',
    consumer: 'one',
    handlers: { 'participant.erased': ({ id }) => effect(id) },
    log: silentLog,
    claimIdleMs: 200,
    ...overrides,
  })

const effect = async (eventId: string): Promise<void> => {
  await applyOnce(bus.db, { schema: 'engagement', eventId, effects: [EFFECT] })
}

const publishAll = async (names: readonly string[]) => {
  const events = names.map(event)
  for (const one of events) await publish(bus.redis, one)
  return events.map(({ id }) => id)
}

/** Waits until each of these events has had its effect. */
const effectsOf = (ids: readonly string[]) =>
  until(
    async () => {
      const effects = await bus.effects()
      return ids.every((id) => effects.has(id))
    },
    { what: 'an effect of each event' },
  )

const lettersOf = (count: number) =>
  until(
    async () => {
      const { letters } = await listDeadLetters(bus.redis)
      return letters.length === count && letters
    },
    { what: `${count} dead letter(s)` },
  )

const pendingOf = async (group = 'readers') => (await bus.redis.xPending(STREAM_KEY, group)).pending
const nothingPending = (group?: string) =>
  until(async () => (await pendingOf(group)) === 0, { what: 'the end of all work' })

test('each group gets every event, those published before it was there too', async () => {
  const ids = await publishAll(['a', 'b'])
  const seen: Record<string, string[]> = { first: [], second: [] }
  for (const group of ['first', 'second'])
    bus.run(consumer({ group, handlers: { 'participant.erased': ({ id }) => void seen[group]?.push(id) } }))
  ids.push(...(await publishAll(['c'])))
  await until(() => seen.first?.length === 3 && seen.second?.length === 3, {
    what: 'three events in each group',
  })
  expect(seen).toEqual({ first: ids, second: ids })
})

test('an event that is delivered twice has its effect once', async () => {
  const twice = event('walker')
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
  const ids = await publishAll(Array.from({ length: 20 }, (_, index) => `walker-${index}`))
  const both = ids.flatMap((id) => [effect(id), effect(id), effect(id)])
  await Promise.all(both)
  expect([...(await bus.effects()).values()]).toEqual(Array(20).fill(1))
})

test('a poison event goes to the dead letters after five tries, with its error; those behind it are not held up', async () => {
  const tries: string[] = []
  const [poison, ...others] = await publishAll(['poison', 'b', 'c'])
  bus.run(
    consumer({
      handlers: {
        'participant.erased': async ({ id, data }) => {
          tries.push(data.userId)
          if (data.userId === 'poison') throw new Error('cannot digest')
          await effect(id)
        },
      },
    }),
  )
  await effectsOf(others)
  expect(tries.slice(0, 3)).toEqual(['poison', 'b', 'c'])
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
  const fields = { id: crypto.randomUUID(), type: 'participant.erased', at: '2026-04-17T14:05:00.000Z' }
  await bus.redis.xAdd(STREAM_KEY, '*', { ...fields, data: '{"userId": 7}' })
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
    type: 'achievement.unlocked',
    data: { userId: 'walker', at: '2026-04-17T14:05:00.000Z' },
  })
  const [known] = await publishAll(['known'])
  bus.run(consumer({ metrics: registry }))
  await effectsOf([known ?? ''])
  await nothingPending()
  const text = await registry.metrics()
  expect(text).toMatch(/events_consumed_total\{group="readers",type="unknown",outcome="ignored",[^}]*\} 1/)
  expect(text).toMatch(
    /events_consumed_total\{group="readers",type="achievement.unlocked",outcome="ignored",[^}]*\} 1/,
  )
  expect(text).toMatch(
    /events_consumed_total\{group="readers",type="participant.erased",outcome="done",[^}]*\} 1/,
  )
})

test("a store that is away uses up none of an event's tries: it is handled, in order, when the store is back", async () => {
  const ids = await publishAll(['a', 'b', 'c'])
  const handled: string[] = []
  let refusals = 12
  const { log, lines } = capturedLog()
  bus.run(
    consumer({
      log,
      claimIdleMs: 100,
      handlers: {
        'participant.erased': ({ id }) => {
          if (--refusals > 0) throw new StoreUnavailable('database')
          handled.push(id)
        },
      },
    }),
  )
  await until(() => handled.length === 3, { what: 'the handling of all three' })
  await nothingPending()
  expect(handled).toEqual(ids)
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toHaveLength(1)
})

test('a handler that never comes back counts as failed and holds up nothing for good', async () => {
  const [stuck, fine] = await publishAll(['stuck', 'fine'])
  const registry = createMetrics('test')
  bus.run(
    consumer({
      metrics: registry,
      handlerDeadlineMs: 50,
      handlers: {
        'participant.erased': ({ id, data }) =>
          data.userId === 'stuck' ? new Promise<void>(() => {}) : effect(id),
      },
    }),
  )
  await effectsOf([fine ?? ''])
  const letters = await lettersOf(1)
  expect(letters[0]).toMatchObject({ event: { id: stuck } })
  expect(letters[0]?.error).toContain('did not answer within 50 ms')
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
    consumer({ claimIdleMs: 60_000, handlers: { 'participant.erased': ({ id }) => void handled.push(id) } }),
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
      'participant.erased': async ({ id }) => {
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
  expect(await pendingOf()).toBe(1)
})

test('Redis emptied under a running consumer: the group is made again and new events arrive', async () => {
  const before = await publishAll(['before'])
  bus.run(consumer())
  await effectsOf(before)
  await bus.redis.flushAll()
  const after = await publishAll(['after', 'and more'])
  await effectsOf(after)
})

test('Redis killed and restarted: every acknowledged event has its effect, once', async () => {
  bus.run(consumer())
  const early = await publishAll(Array.from({ length: 30 }, (_, index) => `early-${index}`))
  await bus.server.kill9()
  await bus.server.restart()
  await until(() => bus.redis.isReady, { what: 'the connection to the restarted Redis' })
  const late = await publishAll(Array.from({ length: 30 }, (_, index) => `late-${index}`))
  await effectsOf([...early, ...late])
  expect([...(await bus.effects()).values()].every((times) => times === 1)).toBe(true)
})

test('the lag counts what is waiting and what has failed', async () => {
  const registry = createMetrics('test')
  await publishAll(['a', 'b', 'c'])
  bus.run(
    consumer({
      metrics: registry,
      claimIdleMs: 60,
      handlers: {
        'participant.erased': () => {
          throw new StoreUnavailable('database')
        },
      },
    }),
  )
  await until(async () => /events_lag\{group="readers",[^}]*\} 3/.test(await registry.metrics()), {
    what: 'a lag of 3',
  })
})
