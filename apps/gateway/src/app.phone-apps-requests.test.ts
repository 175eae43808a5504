import { beforeEach, expect, describe as group, test } from 'bun:test'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { json, TAGS } from '../test/gateway.ts'
import { fixBy, phonesOf, type Sent } from '../test/phone-apps.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway()
const phones = phonesOf(deployment)
const { send, deliveries } = phones
beforeEach(() => phones.answering())

const TOKEN = newWriteToken(TAGS)
const FIX = 'lat=23.9&lon=120.4&timestamp=1776046500&time=1776046500'
const overland = String(fixBy('overland', TOKEN).init.body)
const post = (path: string, body: string, headers = {}): Sent => ({
  path,
  init: { method: 'POST', body, headers },
})
const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` })

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

test('a broken character beside a point costs no point', async () => {
  const body = Buffer.from(JSON.stringify({ ...JSON.parse(overland), trip: 'caf\u00e9' }), 'latin1')
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { status } = await send({ path: '/in/overland', init: { method: 'POST', body, headers } })
  expect([status, deliveries().at(-1)?.points.length]).toEqual([200, 1])
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
  const other = newWriteToken(TAGS)
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
