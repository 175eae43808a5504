import { afterEach, beforeEach, expect, test } from 'bun:test'
import { PHONE_APPS } from '@palanquin/domain/phone-apps'
import { ULOGGER_SLOW_MS } from '@palanquin/domain/phone-apps/replies'
import { credentialTags } from '@palanquin/service/credential-tags'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { PHONE_REQUESTS } from '@palanquin/testing/phones/requests'
import { until } from '@palanquin/testing/until'
import { INTERNAL_TOKEN, TAGS } from '../test/gateway.ts'
import { FIX, fixBy, phonesOf } from '../test/phone-apps.ts'
import { rawCall } from '../test/raw-client.ts'
import { COUNTED_TOGETHER, Deployment } from '../test/use-gateway.ts'
import { keyOf } from './rate-limit/limiter.ts'

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
  await deployment.gateway.redis.append(key, ` ${Date.now()} ${count}`)
  await deployment.gateway.redis.pExpire(key, 60_000)
}
const numberOf = (statuses: number[], status: number) => statuses.filter((one) => one === status).length

test('of a token are 1,200 requests a minute; over them every app is to come again, and others are not affected', async () => {
  const { send, wrong } = phones
  const token = phones.token()
  expect(await wrong('taken', () => token)).toEqual([])
  await letThrough(1_150 - PHONE_APPS.length, token)
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
  const statuses = await inLots(25, 1, async () => (await sendBatch()).status)
  expect([numberOf(statuses, 200), numberOf(statuses, 503)]).toEqual([20, 5])
  expect(deliveries()).toHaveLength(20)
})

test('the first requests of a token count too: of 1,300 that a gateway has never seen 1,200 pass', async () => {
  const { send, deliveries } = phones
  const token = newWriteToken(TAGS)
  await letThrough(1_190, token)
  // All are under way before tracking has said whether it knows the token.
  const { promise, resolve } = Promise.withResolvers<void>()
  phones.answering(() => promise)
  const sending = Array.from({ length: 40 }, () => send(fixBy('colota', token)))
  await until(() => deliveries().length >= 10, { what: 'ten are under way' })
  resolve()
  const statuses = (await Promise.all(sending)).map(({ status }) => status)
  expect([numberOf(statuses, 200), numberOf(statuses, 503)]).toEqual([10, 30])
})

test('made-up tokens reach no service, however many, and a right one behind the same address gets through', async () => {
  const { send, deliveries } = phones
  const madeUp = credentialTags('no secret of ours')
  const statuses = await inLots(
    200,
    20,
    async () => (await send(fixBy('traccar', newWriteToken(madeUp)))).status,
  )
  expect(numberOf(statuses, 401)).toBe(200)
  expect(deliveries()).toEqual([])
  expect((await send(fixBy('traccar', phones.token()))).status).toBe(200)
  const imported = await deployment.gateway.call('/upload/import', {
    method: 'POST',
    headers: { authorization: `Bearer ${newWriteToken(madeUp)}` },
    body: 'x',
  })
  expect(imported.status).toBe(429)
  expect(deployment.calls()).toHaveLength(1)
})

test('without a token the requests of an address count, and after sixty no more bodies are read', async () => {
  const { send } = phones
  const tokenless = () => send(fixBy('owntracks', 'no-token'))
  expect(numberOf(await inLots(60, 20, async () => (await tokenless()).status), 401)).toBe(60)
  const head = 'POST /in/owntracks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{'
  expect((await rawCall(deployment.gateway.port, head)).status).toBe(401)
  expect((await send(fixBy('owntracks', phones.token()))).status).toBe(200)
})

test('whatever is asked with tokens that were revoked, tracking hears of each once', async () => {
  const { send, deliveries } = phones
  const revoked = phones.token({ state: 'unknown_token', counts: { unknown_token: 1 } })
  const statuses = await inLots(5, 1, async () => (await send(fixBy('traccar', revoked))).status)
  expect(numberOf(statuses, 401)).toBe(5)
  expect(deliveries()).toHaveLength(1)
})

test('of a token are ten requests at a time, as Colota sends them; more wait for their turn', async () => {
  const { send, deliveries } = phones
  const { promise, resolve } = Promise.withResolvers<void>()
  phones.answering(() => promise)
  const token = newWriteToken(TAGS)
  const sending = Array.from({ length: 25 }, () => send(fixBy('colota', token)))
  await until(() => deliveries().length >= 10, { what: 'ten are under way' })
  // Whatever is let through at once has arrived when this has.
  const other = send(fixBy('colota', newWriteToken(TAGS)))
  await until(() => deliveries().length >= 11, { what: 'another phone' })
  expect(deliveries()).toHaveLength(11)
  resolve()
  expect(new Set((await Promise.all([...sending, other])).map(({ status }) => status))).toEqual(
    new Set([200]),
  )
})
