import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { untilWritten } from '@palanquin/testing/redis-server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { event, silentLog, type TestBus, testBus } from '../test/bus.ts'
import { type FollowOptions, follow, type Gap } from './follow.ts'
import { publish } from './publish.ts'
import { entriesOf, STREAM_KEY } from './stream.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
beforeEach(async () => {
  bus = await testBus()
})
afterEach(() => bus.close())

const say = async (...names: string[]) => {
  for (const name of names) await publish(bus.redis, event(name))
}

/** A follower and what it has seen so far, gaps in capitals. */
function follower(overrides: Partial<FollowOptions> = {}): string[] {
  const seen: string[] = []
  bus.run(
    follow({
      blocking: bus.connect({ blocking: true }),
      from: '0',
      handlers: { 'achievement.unlocked': ({ data }) => void seen.push(data.userId) },
      onGap: async (gap: Gap) => void seen.push(gap.toUpperCase()),
      log: silentLog,
      ...overrides,
    }),
  )
  return seen
}

const shows = (seen: string[], expected: string[]) =>
  until(() => seen.length >= expected.length, { what: `the events ${expected}` }).then(() =>
    expect(seen).toEqual(expected),
  )

test('every follower sees every event', async () => {
  await say('a')
  const [one, other] = [follower(), follower()]
  await say('b', 'c')
  await shows(one, ['a', 'b', 'c'])
  await shows(other, ['a', 'b', 'c'])
})

test('from $: the view is read once the position is fixed, and then only what is new is shown', async () => {
  await say('old')
  const seen: string[] = follower({
    from: '$',
    onGap: async (gap) => {
      seen.push(gap.toUpperCase())
      await say('while-reading')
    },
  })
  await shows(seen, ['START', 'while-reading'])
})

test('from $ before anything was ever published: the first event is seen', async () => {
  const seen = follower({ from: '$' })
  await shows(seen, ['START'])
  await say('first')
  await shows(seen, ['START', 'first'])
})

test('from an id: what is behind it', async () => {
  await say('a', 'b', 'c')
  const [, second] = entriesOf(await bus.redis.xRange(STREAM_KEY, '-', '+'))
  await shows(follower({ from: second?.entryId ?? '' }), ['c'])
})

test('after a broken connection it goes on where it was: nothing is missed, nothing is shown twice', async () => {
  const proxy = await redisProxy(bus.server.url)
  const seen = follower({ blocking: bus.connect({ blocking: true, url: proxy.url }) })
  await say('a')
  await shows(seen, ['a'])
  await proxy.set('refuse')
  await say('b', 'c')
  await proxy.set('pass')
  await shows(seen, ['a', 'b', 'c'])
  await proxy.close()
})

test('a Redis that is killed and comes back with what it had is no gap', async () => {
  const seen = follower()
  await say('a')
  await shows(seen, ['a'])
  await untilWritten(() => bus.redis.info('persistence'))
  await bus.server.kill9()
  await bus.server.restart()
  await until(() => bus.redis.isReady, { what: 'the connection to the restarted Redis' })
  await say('b')
  await shows(seen, ['a', 'b'])
})

test('Redis emptied: the owner is notified before anything newer is shown', async () => {
  const seen = follower()
  await say('a')
  await shows(seen, ['a'])
  await bus.redis.flushAll()
  await until(() => seen.includes('EMPTIED'), { what: 'the notice' })
  await say('b')
  await shows(seen, ['a', 'EMPTIED', 'b'])
})

test('Redis emptied and filled again while the connection was away is noticed too', async () => {
  const proxy = await redisProxy(bus.server.url)
  const seen = follower({ blocking: bus.connect({ blocking: true, url: proxy.url }) })
  await say('a')
  await shows(seen, ['a'])
  await proxy.set('refuse')
  await say('never-seen')
  await bus.redis.flushAll()
  await say('b', 'c')
  await proxy.set('pass')
  await shows(seen, ['a', 'EMPTIED', 'b', 'c'])
  await proxy.close()
})

test('a position that Redis has not reached yet is a gap: it came back older', async () => {
  await say('a')
  await shows(follower({ from: '99999999999999-0' }), ['EMPTIED', 'a'])
})

test('a view that cannot be read now is read again before any event is shown', async () => {
  let tries = 0
  await say('old')
  const seen: string[] = follower({
    from: '$',
    onGap: async () => {
      if (++tries < 3) throw new Error('PostgreSQL is away')
      seen.push('READ')
    },
  })
  await until(() => tries > 0, { what: 'the first try' })
  await say('new')
  await shows(seen, ['READ', 'new'])
})

test('an event that is published again is shown once', async () => {
  const twice = event('a')
  await publish(bus.redis, twice)
  await publish(bus.redis, twice)
  await say('b')
  await shows(follower(), ['a', 'b'])
})

test('an event that a handler cannot take in is a gap, and those behind it are shown', async () => {
  const seen: string[] = follower({
    handlers: {
      'achievement.unlocked': ({ data }) => {
        if (data.userId === 'bad') throw new Error('cannot take it in')
        seen.push(data.userId)
      },
    },
  })
  await say('bad')
  await shows(seen, ['HANDLER-FAILED'])
  await say('good')
  await shows(seen, ['HANDLER-FAILED', 'good'])
})
