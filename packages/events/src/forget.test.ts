import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { DomainEvent } from '@palanquin/domain/events'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { event, type TestBus, testBus } from '../test/bus.ts'
import { testConsumers } from '../test/consumers.ts'
import { forgetOnBus } from './forget.ts'
import { forgetInOutbox } from './forget-outbox.ts'
import { releaseLease, takeLease } from './lease.ts'
import { publish, publishBatch } from './publish.ts'
import { DEAD_KEY, entriesOf, leaseKey, STREAM_KEY } from './stream.ts'
import { withoutParticipant } from './without-participant.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())
const { consumer, nothingPending, lettersOf } = testConsumers(() => bus)

const totals = (userId: string) => ({
  userId,
  points: 1,
  checkins: 1,
  walkedKm: 0.5,
  motorizedKm: 0,
  lastRecordedAt: null,
})
const advanced = (...names: string[]): DomainEvent<'track.advanced'> => ({
  id: crypto.randomUUID(),
  type: 'track.advanced',
  at: '2026-04-17T14:05:00.000Z',
  data: { shard: 3, participants: names.map(totals) },
})
const acted = (detail: Record<string, unknown>): DomainEvent<'admin.acted'> => ({
  id: crypto.randomUUID(),
  type: 'admin.acted',
  at: '2026-04-17T14:05:00.000Z',
  data: { action: 'message.pushed', by: 'owner', detail },
})

const forget = (options: { until?: string } = {}) =>
  forgetOnBus(bus.redis, { userId: 'leaver', schemas: ['tracking', 'engagement'], ...options })
const everything = async (key = STREAM_KEY) => entriesOf(await bus.redis.xRange(key, '-', '+'))
const names = async (key = STREAM_KEY) => JSON.stringify(await everything(key)).includes('leaver')

test('an event about the participant alone goes; one about others too stays without them; no other changes', () => {
  const rest = (one: DomainEvent) => withoutParticipant(one.type, one.data, 'leaver')
  expect(rest(event('leaver'))).toBe('nothing')
  expect(rest(event('leaver2'))).toBe('untouched')
  expect(rest(advanced('leaver'))).toBe('nothing')
  expect(rest(advanced('a', 'leaver', 'b'))).toEqual({ data: advanced('a', 'b').data })
  expect(rest(acted({ userId: 'leaver', role: 'owner' }))).toEqual({ data: acted({ role: 'owner' }).data })
  expect(rest(acted({ userIds: ['a', 'leaver'] }))).toEqual({ data: acted({ userIds: ['a'] }).data })
  expect(rest(acted({ role: 'leaver' }))).toBe('untouched')
  expect(withoutParticipant('of.tomorrow', { userId: 'leaver', any: 1 }, 'leaver')).toBe('nothing')
})

test('others in the same event still reach a group that lags, and a group that was done has no effect twice', async () => {
  const seen: Record<string, string[]> = { quick: [], slow: [] }
  const group = (name: string) =>
    consumer({
      group: name,
      handlers: {
        'track.advanced': ({ data }) => void seen[name]?.push(data.participants.map((p) => p.userId).join()),
      },
    })
  await bus.redis.xGroupCreate(STREAM_KEY, 'slow', '0', { MKSTREAM: true })
  await publish(bus.redis, advanced('a', 'leaver', 'b'))
  await publish(bus.redis, event('leaver'))
  const quick = bus.run(group('quick'))
  await until(() => seen.quick?.length === 1, { what: 'the quick group' })
  await quick.stop?.()
  expect(await forget()).toBe(2)
  expect(await names()).toBe(false)
  bus.run(group('slow'))
  await until(() => seen.slow?.length === 1, { what: 'the slow group' })
  expect(seen.slow).toEqual(['a,b'])
})

test('what every group has handled is simply gone', async () => {
  bus.run(consumer())
  await publish(bus.redis, advanced('a', 'leaver'))
  await until(async () => (await everything()).length === 1, { what: 'the event' })
  await until(async () => Number((await bus.redis.xInfoGroups(STREAM_KEY))[0]?.lag) === 0, { what: 'no lag' })
  await nothingPending()
  expect(await forget()).toBe(1)
  expect(await everything()).toEqual([])
})

test('it ends only when no handler is busy with the participant, and a handler that fails makes no letter of them', async () => {
  let handling = false
  let finish = (_: unknown) => {}
  bus.run(
    consumer({
      handlers: {
        'achievement.unlocked': () => {
          handling = true
          return new Promise<void>((_, reject) => {
            finish = reject
          })
        },
      },
    }),
  )
  await publish(bus.redis, event('leaver'))
  await until(() => handling, { what: 'the handler' })
  let ended = false
  const forgetting = forget().then((count) => {
    ended = true
    return count
  })
  await until(async () => !(await names()), { what: 'the entry to go' })
  expect(ended).toBe(false)
  finish(new Error('cannot digest "leaver"'))
  expect(await forgetting).toBe(1)
  await nothingPending()
  expect(await everything(DEAD_KEY)).toEqual([])
})

test('dead letters are rid of the participant too, others’ stay', async () => {
  const fails = () => {
    throw new Error('cannot digest "leaver"')
  }
  bus.run(consumer({ claimIdleMs: 30, handlers: { 'achievement.unlocked': fails, 'track.advanced': fails } }))
  await publish(bus.redis, event('leaver'))
  await publish(bus.redis, advanced('a', 'leaver'))
  await publish(bus.redis, event('other'))
  await lettersOf(3)
  await forget()
  expect(await names(DEAD_KEY)).toBe(false)
  const letters = await everything(DEAD_KEY)
  expect(letters.map(({ fields }) => fields?.type).sort()).toEqual(['achievement.unlocked', 'track.advanced'])
  expect(JSON.stringify(letters)).toContain('other')
})

test('a relay that has read the rows is waited for; one that lost its lease publishes nothing any more', async () => {
  const lease = await takeLease(bus.redis, { key: leaseKey('tracking'), durationMs: 600_000 })
  if (!lease) throw new Error('the lease is free')
  const forgetting = forget()
  expect(await publishBatch(bus.redis, [event('leaver')], { lease })).toBe(true)
  await releaseLease(bus.redis, lease)
  expect(await forgetting).toBe(1)
  expect(await publishBatch(bus.redis, [event('leaver')], { lease })).toBe(false)
  expect(await names()).toBe(false)
})

test('events after the given time belong to a new participant', async () => {
  await publish(bus.redis, event('leaver'))
  await publish(bus.redis, { ...event('leaver'), at: '2026-04-17T14:05:00.001Z' })
  expect(await forget({ until: '2026-04-17T14:05:00.000Z' })).toBe(1)
  expect(await everything()).toHaveLength(1)
})

test('an outbox is rid of the participant in one statement, and keeps what it has to say of others', async () => {
  const rows = [
    event('leaver'),
    advanced('leaver'),
    advanced('a', 'leaver', 'b'),
    acted({ userId: 'leaver', role: 'owner' }),
    acted({ userIds: ['leaver', 'c'] }),
    event('other'),
    acted({ role: 'owner' }),
  ]
  await bus.insertOutbox(rows)
  const forgetting = `WITH ${forgetInOutbox({ schema: 'tracking', user: '$1' })} SELECT events FROM forgotten`
  expect(await bus.db.query(forgetting, ['leaver'])).toEqual([{ events: 5 }])
  const left = await bus.db.query<{ data: unknown }>('SELECT data FROM tracking.outbox ORDER BY seq')
  expect(left.map(({ data }) => data)).toEqual(
    [
      advanced('a', 'b'),
      acted({ role: 'owner' }),
      acted({ userIds: ['c'] }),
      event('other'),
      acted({ role: 'owner' }),
    ].map(({ data }) => data),
  )
  expect(await bus.db.query(forgetting, ['leaver'])).toEqual([{ events: 0 }])
})
