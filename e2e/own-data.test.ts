import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dataOf } from '@palanquin/stack/api'
import { PIXEL } from '@palanquin/stack/testing/pixel'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import Value from 'typebox/value'
import { fetchPatiently } from './fetch-patiently.ts'
import { makeCard } from './make-card.ts'

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ USER_AUTH: 'session' })
})
afterAll(() => stack.close())

type Person = { userId: string; headers: Record<string, string> }
/** Signs in a phone without LINE. */
async function person(): Promise<Person> {
  const reply = await stack.api.post('/session', { device: true })
  const { userId } = dataOf(Type.Object({ userId: Type.String() }), reply)
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { userId, headers: { cookie, origin: stack.running().url } }
}
const shown = (path: string, headers: Record<string, string> = {}) =>
  fetchPatiently(stack.running().url + path, {
    headers,
    tls: { ca: readFileSync(stack.running().caFile, 'utf8') },
  })

const Exported = Type.Object({
  profile: Type.Object({ userId: Type.String(), phone: Type.Union([Type.String(), Type.Null()]) }),
  consents: Type.Array(Type.Object({ consent: Type.Boolean() })),
  checkins: Type.Array(Type.Object({ note: Type.Union([Type.String(), Type.Null()]) })),
  points: Type.Array(Type.Object({ lat: Type.Number() })),
})

test('a person reads the own track and all own data, whatever is flushed, and no other caller does', async () => {
  const { api } = stack
  const [me, other] = [await person(), await person()]
  const { userId, headers } = me
  expect((await api.post('/user/phone', { userId, phone: '0912345678' }, { headers })).status).toBe(200)
  expect((await api.post('/privacy', { userId, consent: true, version: '1' }, { headers })).status).toBe(200)
  const points = [3, 2, 1].map((ago) => ({
    lat: 24.5 - ago / 1000,
    lng: 120.7,
    recordedAt: Date.now() - ago * 60_000,
  }))
  expect((await api.post('/track/sync', { userId, points }, { headers })).status).toBe(200)
  const place = { lat: 24.51, lng: 120.7, note: '平安抵達' }
  expect((await api.post('/checkin', { userId, ...place }, { headers })).status).toBe(202)
  const track = async () => (await api.get(`/user/${userId}/track`, { headers })).body
  const drawn = () =>
    until(async () => JSON.stringify(await track()).match(/"Point"/g)?.length === 4, {
      what: 'four points in the track',
    })
  await drawn()
  const document = dataOf(Exported, await api.get(`/user/${userId}/export`, { headers }))
  expect(document).toMatchObject({
    profile: { userId, phone: '+886912345678' },
    consents: [{ consent: true }],
  })
  expect(document.checkins.map(({ note }) => note)).toEqual(['平安抵達'])
  expect(document.points).toHaveLength(4)
  await api.flush()
  await drawn()
  const gpx = await shown(`/api/event/user/${userId}/track?format=gpx`, headers)
  expect(gpx.headers.get('content-disposition')).toBe('attachment; filename="track.gpx"')
  expect(await gpx.text()).not.toContain(userId)

  for (const what of ['track', 'export']) {
    expect((await api.get(`/user/${userId}/${what}`)).status).toBe(401)
    expect((await api.get(`/user/${userId}/${what}`, { headers: other.headers })).status).toBe(403)
    expect((await api.get(`/user/${userId}/${what}`, api.as('owner'))).status).toBe(401)
  }
})

const Made = Type.Object({ url: Type.String(), shareUrl: Type.String() })

test('a card is shared at an address by which its owner can be neither found nor changed, until the erasure', async () => {
  const { api } = stack
  const { userId, headers } = await person()
  await api.post('/user/sync', { userId, displayName: '林媽媽' }, { headers })
  const { shareUrl } = dataOf(Made, await makeCard(api, { userId }, { headers }))
  const path = new URL(shareUrl, stack.running().url).pathname
  const page = await shown(path, { accept: 'text/html', 'accept-language': 'zh-TW' })
  const html = await page.text()
  expect(page.status).toBe(200)
  expect(html).toContain('<meta property="og:title" content="林媽媽的進香卡">')
  expect(html).toContain(`content="${path}.png"`)
  expect(html).not.toContain(userId)
  const picture = await shown(`${path}.png`)
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect(JSON.stringify([...picture.headers])).not.toContain(userId)
  // Every public write with the id in the address.
  const shareId = path.slice('/c/'.length)
  expect((await api.get(`/user/${shareId}`)).status).toBe(404)
  for (const [write, body] of [
    ['/participant-status', { status: 'withdrawn' }],
    ['/privacy', { consent: true }],
    ['/checkin', { lat: 24, lng: 120 }],
  ] as const)
    expect((await api.post(write, { userId: shareId, ...body })).status).toBe(401)
  expect((await api.delete(`/user/${userId}`, { headers })).status).toBe(200)
  expect((await shown(`${path}.png`)).status).toBe(404)
  expect((await shown(path, { accept: 'text/html' })).status).toBe(404)
})

const UploadedPhoto = Type.Object({ id: Type.String(), checkin: Type.Object({ id: Type.String() }) })
const Photos = Type.Object({ items: Type.Array(Type.Object({ id: Type.String() })), total: Type.Integer() })

test('a photo of ten megabytes is a check-in too, is shown to its owner alone, and goes with the erasure', async () => {
  const { api } = stack
  const [me, other] = [await person(), await person()]
  const form = new FormData()
  // What follows a picture's end is no part of it.
  form.append('photo', new Blob([new Uint8Array(PIXEL), new Uint8Array(10_000_000)]), 'photo.png')
  form.append('point', JSON.stringify({ lat: 24.5, lng: 120.7, note: '媽祖保佑' }))
  const send = (headers: Record<string, string>) =>
    fetchPatiently(`${stack.running().url}/upload/photos`, {
      method: 'POST',
      headers,
      body: form,
      tls: { ca: readFileSync(stack.running().caFile, 'utf8') },
    })
  // Where ten megabytes take longer than the gateway goes on reading them the connection is cut before the answer is read.
  const refusal = (headers: Record<string, string>) =>
    until(
      () =>
        send(headers).then(
          ({ status }) => status,
          () => 0,
        ),
      { what: 'the refusal' },
    )
  expect(await refusal({})).toBe(401)
  expect(await refusal({ ...me.headers, origin: 'https://evil.example' })).toBe(403)
  const sent = await send(me.headers)
  expect(sent.status).toBe(201)
  const { id } = Value.Parse(Type.Object({ data: UploadedPhoto }), await sent.json()).data
  const list = async (headers: Record<string, string>) =>
    dataOf(Photos, await api.get('/photos', { headers }))
  expect((await list(me.headers)).items.map((photo) => photo.id)).toEqual([id])
  expect((await list(other.headers)).total).toBe(0)
  expect((await shown(`/api/event/photos/${id}`, me.headers)).headers.get('content-type')).toBe('image/jpeg')
  expect((await shown(`/api/event/photos/${id}`, other.headers)).status).toBe(404)
  expect((await shown(`/api/event/photos/${id}`)).status).toBe(401)
  const noted = async () => {
    const { checkins } = dataOf(Exported, await api.get(`/user/${me.userId}/export`, { headers: me.headers }))
    return checkins[0]?.note === '媽祖保佑'
  }
  await until(noted, { what: 'the check-in of the photo' })
  await until(async () => (await api.profile(me.userId)).photos === 1, { what: 'the photo in the profile' })
  expect((await api.delete(`/photos/${id}`, { headers: other.headers })).status).toBe(404)
  expect((await api.delete(`/photos/${id}`, { headers: me.headers })).status).toBe(200)
  await until(async () => (await api.profile(me.userId)).photos === 0, { what: 'the photo gone' })
  await send(me.headers)
  expect((await api.delete(`/user/${me.userId}`, { headers: me.headers })).status).toBe(200)
  expect(await stack.sql`SELECT 1 FROM media.photos WHERE user_id = ${me.userId}`).toHaveLength(0)
})

test('while the activity is paused a photo with a point is refused as a whole, and one without is kept', async () => {
  const { api } = stack
  const { headers } = await person()
  const send = async (point: object | null) => {
    const form = new FormData()
    form.append('photo', new Blob([new Uint8Array(PIXEL)]), 'photo.png')
    if (point) form.append('point', JSON.stringify(point))
    const sent = await fetchPatiently(`${stack.running().url}/upload/photos`, {
      method: 'POST',
      headers,
      body: form,
      tls: { ca: readFileSync(stack.running().caFile, 'utf8') },
    })
    return sent.status
  }
  const set = (status: string) => api.put('/admin/status', { status }, api.as('owner'))
  await set('paused')
  await until(async () => (await send({ lat: 24.5, lng: 120.7 })) === 403, { what: 'the pause' })
  expect(await send(null)).toBe(201)
  await set('active')
  await until(async () => (await send({ lat: 24.6, lng: 120.7 })) === 201, { what: 'the activity to go on' })
  expect(dataOf(Photos, await api.get('/photos', { headers })).total).toBe(2)
})

const Share = Type.Object({ token: Type.String(), url: Type.String(), readers: Type.Integer() })
const Seen = Type.Object({
  position: Type.Union([Type.Object({ lat: Type.Number() }), Type.Null()]),
  battery: Type.Union([Type.Integer(), Type.Null()]),
})

test('a family sees place and battery by a link until it is taken back, and its page says that it has ended', async () => {
  const { api } = stack
  const { userId, headers } = await person()
  expect((await api.post('/share', { hours: 24 })).status).toBe(401)
  const opened = await api.post('/share', { hours: 24 }, { headers })
  expect(opened.status).toBe(201)
  const { token, url } = dataOf(Share, opened)
  const points = [{ lat: 24.5663, lng: 120.7081, recordedAt: Date.now(), battery: 61 }]
  expect((await api.post('/track/sync', { userId, points }, { headers })).status).toBe(200)
  const see = () => api.get(`/share/${token}?reader=a-reader-of-tests`)
  await until(async () => dataOf(Seen, await see()).battery === 61, { what: 'the battery' })
  const seen = await see()
  expect(seen.headers.get('cache-control')).toBe('no-store')
  expect(JSON.stringify(seen.body)).not.toContain(userId)
  expect(dataOf(Share, await api.get('/share', { headers })).readers).toBe(1)
  const path = new URL(url, stack.running().url).pathname
  const page = await shown(path, { accept: 'text/html' })
  expect(page.status).toBe(200)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(await page.text()).not.toContain(userId)
  expect((await api.delete('/share', { headers })).status).toBe(200)
  expect((await see()).status).toBe(410)
  const over = await shown(path, { accept: 'text/html', 'accept-language': 'en' })
  expect([over.status, (await over.text()).includes('This link has ended')]).toEqual([410, true])
  expect((await shown('/s/unknown', { accept: 'text/html' })).status).toBe(404)
  // Erased, there is nothing that says that there was one.
  await api.delete(`/user/${userId}`, { headers })
  expect((await see()).status).toBe(404)
})
