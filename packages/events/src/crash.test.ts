import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { programOf } from '@palanquin/testing/program'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { silentLog, type TestBus, testBus, unlocking } from '../test/bus.ts'
import { listDeadLetters } from './dead-letters.ts'
import { ATTEMPTS_MAX } from './delivery.ts'
import { outboxRelay } from './outbox-relay.ts'
import { DEAD_KEY, leaseKey, publishedKey, STREAM_KEY } from './stream.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let bus: TestBus
const children: Bun.Subprocess[] = []
beforeEach(async () => {
  bus = await testBus()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await bus.close()
})

const CRASH_PROCESS = fileURLToPath(new URL('../test/crash-process.ts', import.meta.url))

function start(part: 'relay' | 'consumer', failPoint = ''): Bun.Subprocess {
  const child = Bun.spawn([process.execPath, programOf(CRASH_PROCESS), part], {
    env: {
      ...process.env,
      NODE_ENV: 'test',
      DATABASE_URL: bus.databaseUrl,
      REDIS_URL: bus.server.url,
      PALANQUIN_FAIL_POINT: failPoint,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  children.push(child)
  return child
}

/** Waits until a process has died at its fail point. */
async function death(child: Bun.Subprocess): Promise<void> {
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
}

const insert = (count: number, prefix = 'participant') =>
  bus.insertOutbox(Array.from({ length: count }, (_, index) => unlocking(`${prefix}-${index}`)))

/** A relay of this process; rows stay in the outbox, so that Redis may lose what it was given. */
const relay = () =>
  outboxRelay({ db: bus.db, schema: 'tracking', redis: bus.redis, log: silentLog, settledAfterMs: 600_000 })

/** `publishNow` resolves after a second at most; what it began may then still be under way. */
const publishUntilThere = (count: number) => {
  const { publishNow } = relay()
  return until(
    async () => {
      await publishNow()
      return (await bus.redis.xLen(STREAM_KEY)) >= count
    },
    { what: 'the publication' },
  )
}

const allAcknowledged = () =>
  until(
    async () => {
      const [group] = await bus.redis.xInfoGroups(STREAM_KEY)
      return group?.pending === 0 && group.lag === 0
    },
    { what: 'the acknowledgement of all entries' },
  )

const everyEffectOnce = async (ids: readonly string[]) => {
  await until(async () => (await bus.effects()).size === ids.length, { what: 'an effect of every event' })
  expect(await bus.effects()).toEqual(new Map(ids.map((id) => [id, 1])))
}

test('a consumer that is killed between effect and acknowledgement makes the effect once', async () => {
  const ids = await insert(5)
  await publishUntilThere(5)
  for (const place of ['consumer-handled', 'consumer-handled*2', 'consumer-handled'])
    await death(start('consumer', place))
  start('consumer')
  await everyEffectOnce(ids)
  await allAcknowledged()
})

test('an event that was being handled at more deaths than it may fail is not given up', async () => {
  const ids = await insert(1)
  await publishUntilThere(1)
  for (let deaths = 0; deaths <= ATTEMPTS_MAX + 1; deaths++)
    await death(start('consumer', 'consumer-handled'))
  start('consumer')
  await everyEffectOnce(ids)
  await allAcknowledged()
  expect(await bus.redis.xLen(DEAD_KEY)).toBe(0)
})

test('a relay that is killed between publishing and deleting publishes again what Redis does not know of, and the effect happens once', async () => {
  const ids = await insert(5)
  await death(start('relay', 'relay-published'))
  expect(await bus.redis.xLen(STREAM_KEY)).toBe(5)
  await bus.redis.del(leaseKey('tracking')) // of the dead, which would hold off the other
  await relay().publishNow()
  expect(await bus.redis.xLen(STREAM_KEY)).toBe(5) // Redis knows that it has them
  await bus.redis.del(publishedKey('tracking'))
  start('relay')
  await until(async () => (await bus.redis.xLen(STREAM_KEY)) === 10, { what: 'the second publication' })
  start('consumer')
  await everyEffectOnce(ids)
  await allAcknowledged()
  expect([...(await bus.effects()).values()]).toEqual([1, 1, 1, 1, 1])
})

test('relays and consumers killed at random, twenty times, lose and double nothing', async () => {
  const random = seededRandom(20)
  const ids: string[] = []
  for (let round = 0; round < 20; round++) {
    ids.push(...(await insert(20, `round-${round}`)))
    const pair = [start('relay'), start('consumer')]
    const seen = (await bus.effects()).size
    // Let it get somewhere, then kill it in the middle of whatever it does.
    const reached = random.integer(1, 15)
    await until(async () => (await bus.effects()).size >= Math.min(seen + reached, ids.length), {
      what: 'some effects',
    })
    for (const child of pair) child.kill('SIGKILL')
    await Promise.all(pair.map((child) => child.exited))
  }
  start('relay')
  start('consumer')
  await everyEffectOnce(ids)
  expect((await listDeadLetters(bus.redis)).letters).toEqual([])
})
