import { beforeEach, expect, describe as group, test } from 'bun:test'
import type { DeviceReceipt } from '@palanquin/domain/device-delivery'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { until } from '@palanquin/testing/until'
import { json } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway()
const TOKEN = newWriteToken()
const AT_S = 1_776_046_500
const FIX = `lat=23.9&lon=120.4&timestamp=${AT_S}&time=${AT_S}`
const SENTENCE = '$GPRMC,021500,A,2354.0,N,12024.0,E,0,0,130426,,*00'

type Sent = { path: string; init: RequestInit }
const post = (path: string, body: string, headers = {}): Sent => ({
  path,
  init: { method: 'POST', body, headers },
})
const overland = JSON.stringify({
  locations: [
    {
      ...{ type: 'Feature', geometry: { type: 'Point', coordinates: [120.4, 23.9] } },
      properties: { timestamp: new Date(AT_S * 1_000).toISOString() },
    },
  ],
})
const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` })
/** A point as each app sends it, with its token where the app has it. */
const SENT: Record<PhoneApp, (token: string) => Sent> = {
  owntracks: (token) =>
    post(
      '/in/owntracks',
      `{"_type":"location","lat":23.9,"lon":120.4,"tst":${AT_S}}`,
      basic(`jane:${token}`),
    ),
  overland: (token) => post('/in/overland', overland, { authorization: `Bearer ${token}` }),
  traccar: (token) => post('/in/traccar', `id=${token}&${FIX}`),
  gpslogger: (token) => ({ path: `/in/gpslogger/${token}?${FIX}`, init: {} }),
  osmand: (token) => ({ path: `/in/osmand/${token}?${FIX}`, init: {} }),
  opengts: (token) => ({ path: `/in/opengts/${token}?gprmc=${SENTENCE}`, init: {} }),
  colota: (token) =>
    post('/in/colota', `{"lat":23.9,"lon":120.4,"tst":${AT_S}}`, { authorization: `Bearer ${token}` }),
  ulogger: (token) =>
    post('/in/ulogger/client/index.php', `action=addpos&trackid=1&${FIX}`, {
      cookie: `other=1; palanquin_device=${token}`,
    }),
  phonetrack: (token) => post(`/in/phonetrack/index.php/apps/phonetrack/logPost/${token}/my%20phone`, FIX),
}
const send = async ({ path, init }: Sent) => {
  const answer = await deployment.gateway.call(path, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

let receipt: DeviceReceipt
const deliveries = () =>
  deployment.services.tracking.calls
    .filter(({ target }) => target === '/internal/device-points')
    .map(({ body }) => JSON.parse(body))
beforeEach(() => {
  receipt = { state: 'taken', counts: { stored: 1 } }
  deployment.services.tracking.replyWith(() => Response.json({ ok: true, data: receipt }))
})

/** A fresh token each time: what one test makes known or unknown must not reach another. */
const ANSWERS: Record<PhoneApp, { taken: string; unknown: number }> = {
  owntracks: { taken: '[]', unknown: 401 },
  overland: { taken: '{"result":"ok"}', unknown: 200 },
  traccar: { taken: '', unknown: 401 },
  gpslogger: { taken: '', unknown: 401 },
  osmand: { taken: '', unknown: 401 },
  opengts: { taken: '', unknown: 401 },
  colota: { taken: '', unknown: 503 },
  ulogger: { taken: '{"error":false}', unknown: 401 },
  phonetrack: { taken: '{"done":1}', unknown: 503 },
}

group('what an app sends', () => {
  test.each([...PHONE_APPS])(
    'by %s reaches tracking under its token’s hash, and is answered as it needs',
    async (app) => {
      const { status, text, headers } = await send(SENT[app](TOKEN))
      expect([status, text]).toEqual([200, ANSWERS[app].taken])
      expect(headers.get('cache-control')).toBe('no-store')
      const [delivery] = deliveries()
      expect(delivery).toMatchObject({ hash: writeTokenHash(TOKEN), app, memoryOnly: false })
      expect(delivery.points).toHaveLength(1)
      expect(delivery.points[0]).toMatchObject({ lat: 23.9, lng: 120.4 })
      expect(JSON.stringify(deployment.services.tracking.calls)).not.toContain(TOKEN)
    },
  )

  test.each([...PHONE_APPS])(
    'by %s is to come again while paused, and while tracking is away',
    async (app) => {
      receipt = { state: 'later', counts: { paused: 1 } }
      expect((await send(SENT[app](newWriteToken()))).status).toBe(503)
      deployment.services.tracking.replyWith(() => new Response(null, { status: 500 }))
      expect((await send(SENT[app](newWriteToken()))).status).toBe(503)
      await deployment.services.tracking.kill()
      try {
        expect((await send(SENT[app](newWriteToken()))).status).toBe(503)
      } finally {
        deployment.services.tracking.restart()
      }
    },
  )

  test.each([...PHONE_APPS])(
    'by %s with an unknown token, or one with a typing error, is never a lasting loss',
    async (app) => {
      receipt = { state: 'unknown_token', counts: { unknown_token: 1 } }
      const token = newWriteToken()
      const { status, text } = await send(SENT[app](token))
      expect(status).toBe(ANSWERS[app].unknown)
      expect(text).toContain('error')
      expect(text).not.toContain('result')
      const before = deliveries().length
      const typo = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
      for (const again of [token, typo])
        expect((await send(SENT[app](again))).status).toBe(ANSWERS[app].unknown)
      expect(deliveries()).toHaveLength(before)
    },
  )

  test('at the same moment reaches tracking each under its own token, and each gets its own answer', async () => {
    const states = ['taken', 'later', 'unknown_token'] as const
    const tokens = Array.from({ length: 30 }, newWriteToken)
    const stateOf = new Map(tokens.map((token, n) => [writeTokenHash(token), states[n % states.length]]))
    deployment.services.tracking.replyWith(async (request) => {
      const { hash }: { hash: string } = JSON.parse(await request.text())
      return Response.json({ ok: true, data: { state: stateOf.get(hash), counts: {} } })
    })
    const answers = await Promise.all(tokens.map((token) => send(SENT.owntracks(token))))
    expect(answers.map(({ status }) => status)).toEqual(tokens.map((_, n) => [200, 503, 401][n % 3] ?? 0))
    expect(new Set(deliveries().map(({ hash }) => hash))).toEqual(new Set(stateOf.keys()))
  })

  test('is counted by what became of its points, without anybody’s name', async () => {
    receipt = { state: 'taken', counts: { stored: 1, duplicate: 2, too_old: 3 } }
    const before = await counted('overland')
    await send(SENT.overland(TOKEN))
    const after = await counted('overland')
    for (const [outcome, count] of Object.entries(receipt.counts))
      expect([outcome, (after.get(outcome) ?? 0) - (before.get(outcome) ?? 0)]).toEqual([outcome, count])
    expect((await deployment.gateway.metrics()).includes(TOKEN)).toBe(false)
  })
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

group('a request that no point is in', () => {
  test('of a person with the camera leads to the set-up page; what an app sends by halves does not', async () => {
    for (const path of ['/in/owntracks', `/in/traccar/${TOKEN}?id=${TOKEN}&interval=60`, '/in/osmand']) {
      const { status, headers } = await send({ path, init: {} })
      expect([status, headers.get('location')]).toEqual([303, '/setup'])
    }
    expect((await send({ path: `/in/traccar/${TOKEN}?lat=23`, init: {} })).status).toBe(200)
    const got = await send({ path: '/in/owntracks?lat=1&lon=2', init: {} })
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await send({ path: '/in/owntracks', init: { method: 'PUT' } })).status).toBe(405)
    expect((await send({ path: '/in/facebook', init: {} })).status).toBe(404)
  })

  test('is no fault: an empty body, what is no point, and what is no JSON are taken', async () => {
    receipt = { state: 'taken', counts: {} }
    const auth = basic(`:${TOKEN}`)
    for (const body of ['', '{"_type":"lwt","tst":"1"}', '{"_type":', '[]', 'nonsense', '\u0000'])
      expect(await send(post('/in/owntracks', body, auth))).toMatchObject({ status: 200, text: '[]' })
    expect(deliveries().map(({ notPoints, invalid }) => [notPoints, invalid])).toEqual([
      ...[
        [0, 0],
        [1, 0],
        [0, 1],
        [0, 0],
        [0, 1],
        [0, 1],
      ],
    ])
    expect((await send(post('/in/owntracks', ''))).text).toBe('[]')
  })

  test('logs µlogger in with a cookie, and opens a track', async () => {
    const login = await send(post('/in/ulogger/client/index.php', `action=auth&user=jane&pass=${TOKEN}`))
    expect(login).toMatchObject({ status: 200, text: '{"error":false}' })
    const cookie = login.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; Path=\/in\/ulogger;.*; Secure; HttpOnly; SameSite=Strict$/)
    const form = new FormData()
    form.set('action', 'addtrack')
    form.set('track', 'walk')
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    const track = await send({
      path: '/in/ulogger/client/index.php',
      init: { method: 'POST', body: form, headers },
    })
    expect(track).toMatchObject({ status: 200, text: '{"error":false,"trackid":1}' })
    const wrong = await send(post('/in/ulogger/client/index.php', 'action=auth&user=jane&pass=wrong'))
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null])
  })
})

group('a body', () => {
  const batch = (points: number, more = {}) =>
    JSON.stringify({
      locations: Array.from({ length: points }, () => JSON.parse(overland).locations[0]),
      ...more,
    })

  test('of Overland’s largest setting is taken, in lots of a thousand points; over a mebibyte is 413', async () => {
    const auth = { authorization: `Bearer ${TOKEN}` }
    const large = batch(1_500, { trip: 'x'.repeat(600_000) })
    expect(large.length).toBeGreaterThan(700_000)
    expect(await send(post('/in/overland', large, auth))).toMatchObject({
      status: 200,
      text: '{"result":"ok"}',
    })
    expect(deliveries().map(({ points }) => points.length)).toEqual([1_000, 500])
    const tooLarge = await send(post('/in/overland', 'x'.repeat(1_048_577), auth))
    expect(tooLarge.status).toBe(413)
    expect(
      (await deployment.gateway.call('/api/event/checkin', json({ note: 'x'.repeat(102_400) }))).status,
    ).toBe(413)
  })

  test('that no app sends is 400: compressed, too deep, too many keys', async () => {
    const deep = `${'['.repeat(17)}${']'.repeat(17)}`
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 1])))
    for (const body of [deep, keys]) expect((await send(post(`/in/colota/${TOKEN}`, body))).status).toBe(400)
    const compressed = post(`/in/colota/${TOKEN}`, '{}', { 'content-encoding': 'gzip' })
    expect((await send(compressed)).status).toBe(400)
    expect(deliveries()).toEqual([])
  })
})

test('the token is the first that is one, wherever an app can put it; a slash too many does no harm', async () => {
  const other = newWriteToken()
  const places: [Sent, string][] = [
    [{ path: `/in/traccar/${TOKEN}?${FIX}&id=${other}`, init: {} }, TOKEN],
    [{ path: `/in/traccar?${FIX}&id=${other}&id=x`, init: {} }, other],
    [{ path: `/in/traccar?${FIX}&deviceid=${other}`, init: {} }, other],
    [{ path: `/in/traccar/?${FIX}&token=${other}`, init: {} }, other],
    [{ path: `/in/gpslogger/${TOKEN}/?${FIX}`, init: {} }, TOKEN],
    [{ path: `/in/gpslogger?${FIX}&api_key=${other}`, init: { headers: basic(`${TOKEN}:`) } }, TOKEN],
    [post('/in/traccar', `{"device_id":"${other}","location":{"coords":{}}}`), other],
  ]
  for (const [sent, token] of places) {
    expect((await send(sent)).status).toBe(200)
    expect(deliveries().at(-1)?.hash).toBe(writeTokenHash(token))
  }
})

group('limits', () => {
  test('of a token are 1,200 requests a minute; over them it is to come again, and others are not affected', async () => {
    const token = newWriteToken()
    const statuses: number[] = []
    for (let sent = 0; sent < 1_250; sent += 10)
      statuses.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, async () => (await send(SENT.owntracks(token))).status),
        )),
      )
    const taken = statuses.filter((status) => status === 200).length
    // Those of the first moment are not counted: the token was not known yet.
    expect(taken).toBeWithin(1_200, 1_211)
    expect(statuses.filter((status) => status === 503)).toHaveLength(1_250 - taken)
    expect((await send(SENT.owntracks(newWriteToken()))).status).toBe(200)
  })

  test('of an address are 60 unknown tokens a minute; the next are judged from memory, so a good one still gets through', async () => {
    receipt = { state: 'unknown_token', counts: { unknown_token: 1 } }
    const unknown = async () => (await send(SENT.traccar(newWriteToken()))).status
    const statuses: number[] = []
    // More at a time would find tracking without a free place.
    for (let lot = 0; lot < 4; lot++)
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, unknown))))
    expect(new Set(statuses)).toEqual(new Set([401]))
    // Those of the tests before count as well.
    expect(deliveries().filter(({ memoryOnly }) => !memoryOnly).length).toBeLessThanOrEqual(60)
    expect(deliveries()).toHaveLength(80)
    receipt = { state: 'taken', counts: { stored: 1 } }
    expect((await send(SENT.traccar(newWriteToken()))).status).toBe(200)
  })

  test('of a token are ten requests at a time, as Colota sends them; more wait for their turn', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    deployment.services.tracking.replyWith(async () => {
      await promise
      return Response.json({ ok: true, data: receipt })
    })
    const token = newWriteToken()
    const sending = Array.from({ length: 25 }, () => send(SENT.colota(token)))
    await until(() => deliveries().length >= 10, { what: 'ten are under way' })
    // Whatever is let through at once has arrived when this has.
    const other = send(SENT.colota(newWriteToken()))
    await until(() => deliveries().length >= 11, { what: 'another phone' })
    expect(deliveries()).toHaveLength(11)
    resolve()
    expect(new Set((await Promise.all([...sending, other])).map(({ status }) => status))).toEqual(
      new Set([200]),
    )
  })
})
