import { beforeEach, expect, describe as group, test } from 'bun:test'
import { DEVICE_OUTCOMES, type DeviceOutcome, type DeviceReceipt } from '@palanquin/domain/device-delivery'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { pause } from '@palanquin/service/pause'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { OSMAND_HOLD_MS, wrongAnswer } from '@palanquin/testing/phones/answers'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { TAGS } from '../test/gateway.ts'
import { fixBy, phonesOf, TAKEN } from '../test/phone-apps.ts'
import { useGateway } from '../test/use-gateway.ts'

/** How long each answer would have been held back: none is, so that no test waits for it. */
const held: number[] = []
const deployment = useGateway({
  hold: async (ms) => {
    held.push(ms)
  },
})
const phones = phonesOf(deployment)
const { send, deliveries, wrong } = phones
beforeEach(() => {
  held.length = 0
  phones.answering()
})
const within = (ms: number | undefined, [least, most]: readonly [number, number]) =>
  expect(ms).toBeWithin(least, most + 1)

test.each([...PHONE_APPS])('a fix of %s reaches tracking under the hash of its token', async (app) => {
  const token = phones.token()
  await send(fixBy(app, token))
  const [delivery] = deliveries()
  expect(delivery).toMatchObject({ hash: writeTokenHash(token), app })
  expect(delivery?.points).toEqual([expect.objectContaining({ lat: 23.9, lng: 120.4 })])
  expect(JSON.stringify(deployment.services.tracking.calls)).not.toContain(token)
})

group('every app', () => {
  test('may forget what was taken, and what never can be: repeats, ended, withdrawn, too old, no points', async () => {
    const outcomes = DEVICE_OUTCOMES.filter((outcome) => outcome !== 'paused' && outcome !== 'unknown_token')
    for (const outcome of outcomes) {
      const receipt: DeviceReceipt = { state: 'taken', counts: { [outcome]: 1 } }
      expect(await wrong('taken', () => phones.token(receipt))).toEqual([])
    }
    expect(held).toEqual([])
  })

  test('is to send again what comes while paused', async () => {
    expect(await wrong('later', () => phones.token({ state: 'later', counts: { paused: 1 } }))).toEqual([])
  })

  test('is to send again what tracking cannot take: stores and journal are full, it fails, it is gone', async () => {
    const { tracking } = deployment.services
    for (const status of [503, 500]) {
      tracking.replyWith(() => new Response(null, { status }))
      expect(await wrong('later', () => phones.token())).toEqual([])
    }
    await tracking.kill()
    try {
      expect(await wrong('later', () => phones.token())).toEqual([])
    } finally {
      tracking.restart()
    }
    phones.answering()
    expect(await wrong('taken', () => phones.token())).toEqual([])
  })

  test('learns of a token that is unknown or revoked, and of one with a typing error without asking tracking', async () => {
    const unknown = new Map(
      PHONE_APPS.map((app) => [app, phones.token({ state: 'unknown_token', counts: { unknown_token: 1 } })]),
    )
    const tokenOf = (app: PhoneApp) => unknown.get(app) ?? ''
    expect(await wrong('unknown', tokenOf)).toEqual([])
    expect(deliveries()).toHaveLength(PHONE_APPS.length)
    const typo = (app: PhoneApp) => tokenOf(app).slice(0, -1) + (tokenOf(app).endsWith('0') ? '1' : '0')
    for (const again of [tokenOf, typo]) expect(await wrong('unknown', again)).toEqual([])
    expect(deliveries()).toHaveLength(PHONE_APPS.length)
  })

  test('learns it from the moment on in which its token is revoked', async () => {
    const tokens = new Map(PHONE_APPS.map((app) => [app, phones.token()]))
    const tokenOf = (app: PhoneApp) => tokens.get(app) ?? ''
    expect(await wrong('taken', tokenOf)).toEqual([])
    deployment.services.tracking.replyWith(() =>
      Response.json({ ok: true, data: { state: 'unknown_token', counts: { unknown_token: 1 } } }),
    )
    expect(await wrong('unknown', tokenOf)).toEqual([])
  })
})

test('OsmAnd asks again at once and for ever: it alone waits for such an answer, and is let go as the gateway stops', async () => {
  await wrong('later', () => phones.token({ state: 'later', counts: {} }))
  within(held.pop(), OSMAND_HOLD_MS.later)
  await wrong('unknown', () => newWriteToken(TAGS).replace(/.$/, '-'))
  within(held.pop(), OSMAND_HOLD_MS.unknown)
  expect(held).toEqual([])

  // Until it is let go, so that a slow test finds it waiting.
  const other = await deployment.addGateway({ hold: (_, signal) => pause(TEST_TIMEOUT_MS, signal) })
  const waiting = send(fixBy('osmand', phones.token({ state: 'later', counts: {} })), other)
  let isAnswered = false
  void waiting.then(() => {
    isAnswered = true
  })
  await until(() => deliveries().length > PHONE_APPS.length, { what: 'tracking was asked' })
  await send(fixBy('owntracks', phones.token()), other)
  expect(isAnswered).toBe(false)
  const closed = other.close()
  expect((await waiting).status).toBe(503)
  await closed
})

test('Overland gets its settings with the first point since it was set up, and no other app anything', async () => {
  const receipt: DeviceReceipt = { ...TAKEN, isFirst: true }
  const answers = await Promise.all(
    PHONE_APPS.map(async (app) => [app, (await send(fixBy(app, phones.token(receipt)))).text] as const),
  )
  const changed = answers.filter(([app, text]) => wrongAnswer(app, 'taken', { status: 200, body: text }))
  expect(changed.map(([app]) => app)).toEqual(['overland'])
  expect(JSON.parse(changed[0]?.[1] ?? '')).toMatchObject({ result: 'ok', set: { send_interval: '1m' } })
})

test('a gateway that stops answers each app whose points are under way', async () => {
  const other = await deployment.addGateway()
  const { promise, resolve } = Promise.withResolvers<void>()
  phones.answering(() => promise)
  const answers = wrong('taken', () => phones.token(), other)
  await until(() => deliveries().length === PHONE_APPS.length, { what: 'all are under way' })
  const closed = other.close()
  resolve()
  expect(await answers).toEqual([])
  await closed
})

test('phones that send at the same moment get each its own answer', async () => {
  const states = ['taken', 'later', 'unknown_token'] as const
  const tokens = Array.from({ length: 30 }, (_, n) =>
    phones.token({ state: states[n % 3] ?? 'taken', counts: {} }),
  )
  const answers = await Promise.all(tokens.map((token) => send(fixBy('owntracks', token))))
  expect(answers.map(({ status }) => status)).toEqual(tokens.map((_, n) => [200, 503, 401][n % 3] ?? 0))
  expect(new Set(deliveries().map(({ hash }) => hash))).toEqual(new Set(tokens.map(writeTokenHash)))
})

test('what became of the points of each app is counted, without anybody’s name', async () => {
  for (const app of PHONE_APPS) {
    const counts: Partial<Record<DeviceOutcome, number>> = {
      stored: 1,
      duplicate: 2,
      too_old: 3,
      withdrawn: 4,
    }
    const token = phones.token({ ...TAKEN, counts })
    const before = await counted(app)
    await send(fixBy(app, token))
    const after = await counted(app)
    for (const [outcome, count] of Object.entries(counts))
      expect([app, outcome, (after.get(outcome) ?? 0) - (before.get(outcome) ?? 0)]).toEqual([
        app,
        outcome,
        count,
      ])
    expect((await deployment.gateway.metrics()).includes(token)).toBe(false)
  }
})

/** `palanquin_in_points_total` of an app, by outcome. */
async function counted(app: PhoneApp): Promise<Map<string, number>> {
  const lines = (await deployment.gateway.metrics()).matchAll(
    /^palanquin_in_points_total{app="(\w+)",outcome="(\w+)"[^}]*} (\d+)$/gm,
  )
  return new Map(
    [...lines].flatMap(([, of, outcome = '', count]) => (of === app ? [[outcome, Number(count)]] : [])),
  )
}
