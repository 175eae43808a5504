import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { DomainEvent } from '@palanquin/domain/events'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { event, silentLog, type TestBus, testBus } from '../test/bus.ts'
import { consume } from './consume.ts'
import { follow } from './follow.ts'
import { publishBatch } from './publish.ts'
import { STREAM_KEY } from './stream.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())

const GROUPS = ['one', 'other']
/** Redis lets go of whole nodes of a stream, 100 entries each. */
const NODE_ENTRIES = 100

const names = (count: number) => Array.from({ length: count }, (_, index) => `participant-${index}`)

/** Publishes as the relays do, but lets go of what is done at once (and of what is not, after `retentionMs`). */
const publishEvents = async (events: readonly DomainEvent[], retentionMs = 3_600_000) => {
  await Bun.sleep(2) // so that what was published before is older than this millisecond
  await publishBatch(bus.redis, events, { groups: GROUPS, doneRetentionMs: 0, retentionMs })
}
const publishAll = (participants: readonly string[]) => publishEvents(participants.map(event))
const kept = () => bus.redis.xLen(STREAM_KEY)

/** A consumer of a group, and the participants of the events it received. */
function reader(group: string, handle: (userId: string) => void | Promise<void> = () => {}) {
  const received: string[] = []
  const part = consume({
    redis: bus.redis,
    blocking: bus.connect({ blocking: true }),
    group,
    consumer: group,
    log: silentLog,
    claimIdleMs: 200,
    handlers: {
      'achievement.unlocked': async ({ data }) => {
        await handle(data.userId)
        received.push(data.userId)
      },
    },
  })
  return { received, part: bus.run(part) }
}

const receives = ({ received }: { received: string[] }, count: number) =>
  until(() => received.length >= count, { what: `${count} events` })
/** Handled is not yet acknowledged. */
const done = (group: string) =>
  until(async () => (await bus.redis.xPending(STREAM_KEY, group)).pending === 0, { what: 'the last word' })

test('what every group has handled is trimmed: the bus does not grow with what was published', async () => {
  const [one, other] = [reader('one'), reader('other')]
  for (let round = 1; round <= 10; round++) {
    await publishAll(names(300))
    await Promise.all([receives(one, round * 300), receives(other, round * 300)])
    await Promise.all(GROUPS.map(done))
  }
  await publishAll(['last'])
  expect(await kept()).toBeLessThanOrEqual(2 * NODE_ENTRIES)
})

test('what one group has not read yet stays, however far the others are', async () => {
  const one = reader('one')
  await reader('other').part.stop?.()
  await publishAll(names(500))
  await receives(one, 500)
  await done('one')
  await publishAll(['last'])
  expect(await kept()).toBe(501)
  const late = reader('other')
  await receives(late, 501)
  expect(late.received).toEqual([...names(500), 'last'])
})

test('what a group is handling stays, and everything behind it', async () => {
  const one = reader('one')
  let away = true
  const waits = reader('other', (userId) => {
    if (away && userId === 'participant-250') throw new StoreUnavailable('database')
  })
  await publishAll(names(600))
  await Promise.all([receives(one, 600), receives(waits, 250)])
  await done('one')
  await publishAll(['last'])
  expect(await kept()).toBeGreaterThanOrEqual(351)
  away = false
  await receives(waits, 601)
  expect(waits.received).toEqual([...names(600), 'last'])
})

test('while a group was never there, nothing counts as done', async () => {
  const one = reader('one')
  await publishAll(names(500))
  await receives(one, 500)
  await done('one')
  await publishAll(['last'])
  expect(await kept()).toBe(501)
  await receives(reader('other'), 501)
})

test('events are also kept for a group that is unknown to the code', async () => {
  await bus.redis.xGroupCreate(STREAM_KEY, 'of-a-newer-version', '0', { MKSTREAM: true })
  const [one, other] = [reader('one'), reader('other')]
  await publishAll(names(500))
  await Promise.all([receives(one, 500), receives(other, 500)])
  await Promise.all(GROUPS.map(done))
  await publishAll(['last'])
  expect(await kept()).toBe(501)
})

test('what is not done goes by age alone', async () => {
  await bus.redis.xGroupCreate(STREAM_KEY, 'one', '0', { MKSTREAM: true })
  await publishAll(names(500))
  await Bun.sleep(50)
  await publishEvents([event('last')], 25)
  expect(await kept()).toBeLessThanOrEqual(NODE_ENTRIES)
})

/** What a follower has been shown, gaps in capitals. */
function follower(from: '$' | '0', proxied: string) {
  const seen: string[] = []
  bus.run(
    follow({
      blocking: bus.connect({ blocking: true, url: proxied }),
      from,
      handlers: { 'achievement.unlocked': ({ data }) => void seen.push(data.userId) },
      onGap: async (gap) => void seen.push(gap.toUpperCase()),
      log: silentLog,
    }),
  )
  return seen
}

test('a follower that was away for longer than what is done is kept reads its view again, once', async () => {
  const proxy = await redisProxy(bus.server.url)
  const seen = follower('$', proxy.url)
  await until(() => seen.includes('START'), { what: 'the first reading' })
  await publishAll(['first'])
  await until(() => seen.includes('first'), { what: 'the first event' })
  await proxy.set('refuse')
  const [one, other] = [reader('one'), reader('other')]
  await publishAll(names(500))
  await Promise.all([receives(one, 501), receives(other, 501)])
  await Promise.all(GROUPS.map(done))
  await publishAll(['behind'])
  await proxy.set('pass')
  await until(() => seen.includes('behind'), { what: 'the event behind the gap' })
  expect(seen.slice(0, 3)).toEqual(['START', 'first', 'TRIMMED'])
  expect(seen.filter((name) => name === 'TRIMMED')).toHaveLength(1)
  await proxy.close()
})

test('a follower that keeps up, or reads all that is still there, gets no gap', async () => {
  const seen = follower('$', bus.server.url)
  await until(() => seen.includes('START'), { what: 'the first reading' })
  const [one, other] = [reader('one'), reader('other')]
  for (let round = 1; round <= 4; round++) {
    await publishAll(names(200))
    await Promise.all([receives(one, round * 200), receives(other, round * 200)])
    await until(() => seen.length === 1 + round * 200, { what: 'all events' })
    await Promise.all(GROUPS.map(done))
  }
  await publishAll(['last'])
  await until(() => seen.at(-1) === 'last', { what: 'the last' })
  expect(seen).toEqual(['START', ...names(200), ...names(200), ...names(200), ...names(200), 'last'])
  const still = await kept()
  expect(still).toBeLessThan(801)
  const late = follower('0', bus.server.url)
  await until(() => late.at(-1) === 'last', { what: 'the last, again' })
  expect(late).toHaveLength(still)
})
