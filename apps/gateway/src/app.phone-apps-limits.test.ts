import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ULOGGER_SLOW_MS } from '@palanquin/domain/phone-apps/replies'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { PHONE_REQUESTS } from '@palanquin/testing/phones/requests'
import { until } from '@palanquin/testing/until'
import { INTERNAL_TOKEN } from '../test/gateway.ts'
import { FIX, fixBy, phonesOf } from '../test/phone-apps.ts'
import { COUNTED_TOGETHER, Deployment } from '../test/use-gateway.ts'
import { keyOf } from './rate-limit/redis-limiter.ts'

/** One for each test, with a Redis of its own: what a test counts under this address must not reach another. */
let deployment = new Deployment()
let phones = phonesOf(deployment)
beforeEach(async () => {
  deployment = new Deployment()
  await deployment.open({ ...COUNTED_TOGETHER, hold: async () => {} })
  phones = phonesOf(deployment)
  phones.answering()
})
afterEach(() => deployment.close())

const inLots = async (count: number, lot: number, one: () => Promise<number>): Promise<number[]> => {
  const statuses: number[] = []
  for (let sent = 0; sent < count; sent += lot)
    statuses.push(...(await Promise.all(Array.from({ length: lot }, one))))
  return statuses
}
/** As if another gateway had let them through: a busy machine sends no thousand within the minute of the limit. */
const letThrough = async (count: number, token: string): Promise<void> => {
  const key = keyOf('deviceRequests', writeTokenHash(token), Bun.hash.wyhash(INTERNAL_TOKEN))
  const stamps = Array.from({ length: count }, () => `${Date.now()}000`)
  await deployment.gateway.redis.rPush(key, stamps)
  await deployment.gateway.redis.pExpire(key, 60_000)
}
const numberOf = (statuses: number[], status: number) => statuses.filter((one) => one === status).length

test('of a token are 1,200 requests a minute; over them every app is to come again, and others are not affected', async () => {
  const { send, wrong } = phones
  // Beside another one a gateway asks Redis what was let through.
  await deployment.addGateway(COUNTED_TOGETHER)
  const token = phones.token()
  expect(await wrong('taken', () => token)).toEqual([])
  await letThrough(1_150, token)
  const statuses = await inLots(100, 10, async () => (await send(fixBy('owntracks', token))).status)
  expect([numberOf(statuses, 200), numberOf(statuses, 503)]).toEqual([50, 50])
  expect(await wrong('later', () => token)).toEqual([])
  expect(await wrong('taken', () => phones.token())).toEqual([])
})

test('µlogger, which would rest five minutes after a 503, is slowed down before it gets there', async () => {
  const held: number[] = []
  const other = await deployment.addGateway({
    ...COUNTED_TOGETHER,
    hold: async (ms) => {
      held.push(ms)
    },
  })
  const token = phones.token()
  await letThrough(700, token)
  const statuses = await inLots(
    200,
    10,
    async () => (await phones.send(fixBy('ulogger', token), other)).status,
  )
  expect(numberOf(statuses, 200)).toBe(200)
  // The first is not known yet, and the last hundred are behind two thirds of 1,200.
  expect(held.length).toBeWithin(90, 101)
  expect(new Set(held)).toEqual(new Set([ULOGGER_SLOW_MS]))
})

test('of a token are 20,000 points a minute; of a request over them nothing is taken', async () => {
  const { send, deliveries } = phones
  const token = phones.token()
  const fixes = Array.from({ length: 1_000 }, (_, n) => ({ ...FIX, recordedAt: FIX.recordedAt + n * 1_000 }))
  const batch = {
    locations: PHONE_REQUESTS.overland(token, fixes).flatMap(
      ({ init }) => JSON.parse(init.body ?? '').locations,
    ),
  }
  const { path, init } = fixBy('overland', token)
  const sendBatch = () => send({ path, init: { ...init, body: JSON.stringify(batch) } })
  expect((await send(fixBy('overland', token))).status).toBe(200)
  const statuses = await inLots(25, 1, async () => (await sendBatch()).status)
  expect([numberOf(statuses, 200), numberOf(statuses, 503)]).toEqual([20, 5])
  expect(deliveries()).toHaveLength(21)
})

test('of an address are 60 unknown tokens a minute; the next are judged from memory, so a good one still gets through', async () => {
  const { send, deliveries } = phones
  const unknown = () => phones.token({ state: 'unknown_token', counts: { unknown_token: 1 } })
  // More at a time would find tracking without a free place.
  const statuses = await inLots(80, 20, async () => (await send(fixBy('traccar', unknown()))).status)
  expect(statuses).toEqual(Array.from({ length: 80 }, () => 401))
  expect(
    deliveries()
      .map(({ memoryOnly }) => memoryOnly)
      .toSorted(),
  ).toEqual([...Array.from({ length: 60 }, () => false), ...Array.from({ length: 20 }, () => true)])
  expect((await send(fixBy('traccar', phones.token()))).status).toBe(200)
})

test('tokens that turn out to be good do not count among the unknown ones of their address', async () => {
  const { send, deliveries } = phones
  const statuses = await inLots(100, 1, async () => (await send(fixBy('owntracks', phones.token()))).status)
  expect(numberOf(statuses, 200)).toBe(100)
  expect(deliveries().filter(({ memoryOnly }) => memoryOnly)).toEqual([])
})

test('of a token are ten requests at a time, as Colota sends them; more wait for their turn', async () => {
  const { send, deliveries } = phones
  const { promise, resolve } = Promise.withResolvers<void>()
  phones.answering(() => promise)
  const token = newWriteToken()
  const sending = Array.from({ length: 25 }, () => send(fixBy('colota', token)))
  await until(() => deliveries().length >= 10, { what: 'ten are under way' })
  // Whatever is let through at once has arrived when this has.
  const other = send(fixBy('colota', newWriteToken()))
  await until(() => deliveries().length >= 11, { what: 'another phone' })
  expect(deliveries()).toHaveLength(11)
  resolve()
  expect(new Set((await Promise.all([...sending, other])).map(({ status }) => status))).toEqual(
    new Set([200]),
  )
})
