import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openRedis } from '@palanquin/backup/streams'
import type { Redis } from '@palanquin/service/redis'
import { dataOf } from '@palanquin/stack/api'
import { PIXEL, PIXEL_URL } from '@palanquin/stack/testing/pixel'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { fetchPatiently } from './fetch-patiently.ts'
import { kill } from './kill.ts'

/** No scheduled flush: buffered points must be erased in the buffer. */
const NEVER = '0 0 1 1 *'
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

let stack: ThrowawayStack
let redis: Redis
beforeAll(async () => {
  stack = await startThrowawayStack({
    FLUSH_SCHEDULE: NEVER,
    PACK_SCHEDULE: '* * * * * *',
    RATE_LIMITS: 'off',
  })
  redis = await openRedis(stack.running().redisUrl)
})
afterAll(async () => {
  redis.destroy()
  await stack.close()
})

const LEAVER = 'Uleaver0f7b9a526e1c8d7b4f30c0ffee'
/** Personal data that a plain search finds wherever it is stored. */
const PERSONAL_TEXTS = {
  userId: LEAVER,
  name: '離開的林媽媽',
  phone: '912765438',
  note: 'note-of-the-leaver',
  comment: 'comment-of-the-leaver',
  message: 'message-of-the-leaver',
}
const texts = Object.values(PERSONAL_TEXTS)
const ANSWERS = { q1: [], q2: [], q3: { bus: 12 }, q4: [], q5: 1, q6: 'mixed', q7: 3, q8: 2, q9: 0 }

/** Searches every store: each row of each table, each key, each object, and each file of the home. */
const found = async (needles: readonly string[] = texts) => [
  ...(await searchPostgres(stack.sql, needles)),
  ...(await searchRedis(stack.running().redisUrl, needles)),
  ...searchFiles(stack.home.folder, needles, { except: ['pg', 'redis', 'toolchain'] }),
]

const minutesAgo = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 3 * HOUR_MS
const walk = (lat: number) =>
  Array.from({ length: 30 }, (_, minute) => ({
    lat: lat + minute * 0.0006,
    lng: 120.6238,
    recordedAt: minutesAgo + minute * MINUTE_MS,
  }))
const post = async (path: string, body: object, role?: 'owner') => {
  const reply = await stack.api.post(path, body, role && stack.api.as(role))
  if (reply.status >= 300) throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply
}
const erase = (userId = LEAVER) => stack.api.delete(`/user/${userId}`, stack.api.as('owner'))
const Erased = Type.Object({ userId: Type.String(), erased: Type.Record(Type.String(), Type.Integer()) })

/** Creates every kind of data of a participant, stored and buffered. */
async function everythingOf(userId: string, texts: typeof PERSONAL_TEXTS): Promise<void> {
  await post('/user/sync', { userId, displayName: texts.name })
  await post('/privacy', { userId, consent: true, version: '1' })
  await post('/submit', { userId, answers: { ...ANSWERS, q10: texts.comment }, phone: `0${texts.phone}` })
  await post('/track/sync', { userId, points: walk(24.3) })
  await post('/checkin', { userId, lat: 24.35, lng: 120.62, note: texts.note })
  const Upload = Type.Object({ filename: Type.String() })
  const image = PIXEL_URL
  const { filename } = dataOf(Upload, await post('/feedback-upload', { userId, image }))
  await post('/feedback', { userId, category: 'bug', message: texts.message, screenshot: filename })
  await post('/admin/roles', { userId, role: 'volunteer' }, 'owner')
  const query = new URLSearchParams({ q: texts.name, reason: `${texts.name} is missing` })
  await stack.api.get(`/admin/find?${query}`, stack.api.as('volunteer'))
  await photo(userId)
  await stack.api.flush()
  expect((await stack.api.get(`/og/${userId}.png`)).status).toBe(200)
  await post('/checkin', { userId, lat: 24.36, lng: 120.62, note: texts.note })
  await post('/track/sync', {
    userId,
    points: walk(24.4).map((p) => ({ ...p, recordedAt: p.recordedAt + HOUR_MS })),
  })
  await until(async () => (await stack.api.profile(userId)).checkins === 2, { what: 'both check-ins' })
}

/** As the LINE bot submits it. */
async function photo(userId: string): Promise<void> {
  const { services, internalToken } = stack.running()
  const query = `userId=${userId}&messageId=${crypto.randomUUID()}`
  const answer = await fetchPatiently(`${services.media?.url}/internal/photos?${query}`, {
    method: 'POST',
    headers: { 'x-internal-token': internalToken, 'content-type': 'image/png' },
    body: PIXEL,
  })
  if (!answer.ok) throw new Error(`the photo: ${answer.status} ${await answer.text()}`)
}

/** Aggregated figures for organisers. */
async function figures(): Promise<unknown> {
  const owner = stack.api.as('owner')
  const Timeline = Type.Object({ buckets: Type.Array(Type.Unknown()) })
  const timeline = dataOf(Timeline, await stack.api.get('/admin/timeline', owner)).buckets
  const clusters = (await stack.api.get('/admin/clusters?of=all&zoom=12', owner)).body
  const carbon = (await stack.api.get('/admin/carbon', owner)).body
  return JSON.parse(JSON.stringify({ timeline, clusters, carbon }), (_, value) =>
    typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
  )
}

test('after DELETE /user no row, key, object or file names the participant; all other figures stay', async () => {
  await everythingOf('other', {
    ...PERSONAL_TEXTS,
    userId: 'other',
    name: 'other',
    phone: '987123456',
    note: 'n',
    comment: 'c',
    message: 'm',
  })
  await stack.api.flush()
  const others = await stack.api.profile('other')
  const before = await figures()

  await everythingOf(LEAVER, PERSONAL_TEXTS)
  const places = (await found()).map((place) => place.split(':')[0]?.split(' ')[0])
  for (const kind of ['table', 'key', 'file']) expect(places).toContain(kind)

  const { erased } = dataOf(Erased, await erase())
  expect(erased).toMatchObject({
    participants: 1,
    consents: 1,
    surveys: 1,
    feedback: 1,
    roles: 1,
    audit: 2,
    points: 31,
    tracks: 1,
    bufferedPoints: 31,
    photos: 1,
    screenshots: 1,
    cards: 1,
  })
  expect(await found()).toEqual([])

  expect((await stack.api.get(`/user/${LEAVER}`)).status).toBe(404)
  expect((await stack.api.get(`/og/${LEAVER}.png`)).status).toBe(404)
  expect(JSON.stringify((await stack.api.get('/data', stack.api.as('owner'))).body)).not.toContain(LEAVER)
  await stack.api.flush()
  expect(await figures()).toEqual(before)
  expect(await stack.api.profile('other')).toEqual(others)
  expect((await erase()).status).toBe(404)
  expect(await found([LEAVER])).toEqual([])
})

test('while the phone keeps sending: nothing from before comes back, and everything after it counts', async () => {
  const userId = 'keeps-walking'
  await everythingOf(userId, { ...PERSONAL_TEXTS, name: 'keeps-walking-name' })
  const sent: { at: number; lat: number; answered: number }[] = []
  let going = true
  const sending = (async () => {
    for (let step = 0; going; step++) {
      const at = Date.now()
      const lat = 25 + step * 0.0001
      const { status } = await stack.api.post('/checkin', { userId, lat, lng: 121 })
      if (status === 202) sent.push({ at, lat, answered: Date.now() })
      await Bun.sleep(5)
    }
  })()
  await until(() => sent.length > 0, { what: 'a first step' })
  const calledAt = Date.now()
  expect((await erase(userId)).status).toBe(200)
  const answeredAt = Date.now()
  going = false
  await sending
  await post('/checkin', { userId, lat: 26, lng: 121 })
  await until(async () => (await stack.api.profile(userId)).checkins > 0, { what: 'somebody new' })
  await stack.api.flush()

  const rows = await stack.sql`SELECT lat FROM tracking.all_points WHERE user_id = ${userId}`
  const stored = rows.map(({ lat }) => Number(lat))
  const before = sent.filter(({ answered }) => answered < calledAt).map(({ lat }) => lat)
  const after = sent.filter(({ at }) => at > answeredAt).map(({ lat }) => lat)
  expect(before.filter((lat) => stored.includes(lat))).toEqual([])
  expect([...after, 26].filter((lat) => !stored.includes(lat))).toEqual([])
  expect(await found(['keeps-walking-name'])).toEqual([])
  expect(await stack.api.profile(userId)).toMatchObject({
    displayName: null,
    surveyCompleted: 0,
    hasPhone: false,
  })
})

test('tracking killed repeatedly meanwhile: the calls report it, and one that succeeds completes the erasure', async () => {
  const userId = 'unlucky'
  await everythingOf(userId, { ...PERSONAL_TEXTS, name: 'unlucky-name' })
  const statuses: number[] = []
  for (let kills = 0; kills < 4; kills++) {
    const erasing = erase(userId)
    await Bun.sleep(kills * 4) // the point in time within the erasure is random on purpose
    const restarted = kill(stack, 'tracking')
    statuses.push((await erasing).status)
    await restarted()
  }
  await until(
    async () => {
      const { status } = await erase(userId)
      statuses.push(status)
      return status === 200 || status === 404
    },
    { what: 'a call that gets through' },
  )
  for (const status of statuses) expect([200, 404, 502, 503]).toContain(status)
  await redis.del('flush:lock')
  await stack.api.flush()
  expect(await found([userId, 'unlucky-name'])).toEqual([])
})
