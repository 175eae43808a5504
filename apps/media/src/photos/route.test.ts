import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { untilWritten } from '@palanquin/testing/redis-server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import sharp from 'sharp'
import { type ImageHarness, imageHarness } from '../../test/image-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let harness: ImageHarness
let photo: Buffer
beforeAll(async () => {
  harness = await imageHarness()
  photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#385f71' } })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '24/1 36/1 40/1' } })
    .jpeg()
    .toBuffer()
})
afterAll(() => harness.close())

const send = async (userId: string, messageId: string, body: Uint8Array = photo) => {
  const answer = await harness.call(`/internal/photos?userId=${userId}&messageId=${messageId}`, {
    body,
    headers: { 'content-type': 'image/jpeg' },
  })
  const { data } = (await answer.json()) as { data?: { count: number; added: boolean } }
  return { status: answer.status, data }
}
const count = async (userId: string) => {
  const answer = await harness.call(`/photos/count?userId=${userId}`)
  return { status: answer.status, ...((await answer.json()) as { data?: object }) }
}
const counted = (userId: string, number: number) => ({
  status: 200,
  ok: true,
  data: { userId, count: number },
})
const published = async (userId: string) =>
  (
    await harness.sql`SELECT data FROM media.outbox WHERE type = 'photos.changed' AND data ->> 'userId' = ${userId} ORDER BY seq`
  ).map((row) => row.data)
const cached = (userId: string) => harness.redis.keys(`*:photos:${userId}`)

test('a photo is stored without its location, counted, and published once', async () => {
  expect(await send('U1', '1001')).toEqual({
    status: 200,
    data: expect.objectContaining({ count: 1, added: true }),
  })
  expect(await count('U1')).toEqual(counted('U1', 1))
  const [row] = await harness.sql`SELECT object_key FROM media.photos WHERE user_id = 'U1'`
  expect(row?.object_key).toMatch(/^photos\/[0-9a-f-]{36}\.jpg$/)
  const stored = await harness.objects.get(row?.object_key)
  const { format, exif, width } = await sharp(stored ?? undefined).metadata()
  expect({ format, exif, width }).toEqual({ format: 'jpeg', exif: undefined, width: 300 })
  expect(await published('U1')).toEqual([{ userId: 'U1', count: 1 }])
})

test('a message that is delivered again adds nothing, also ten times at once', async () => {
  const before = (await harness.keys()).length
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('U2', '2001')))
  expect(answers.every(({ status, data }) => status === 200 && data?.count === 1)).toBe(true)
  expect(answers.filter(({ data }) => data?.added)).toHaveLength(1)
  expect((await send('U2', '2001')).data).toMatchObject({ count: 1, added: false })
  expect(await published('U2')).toHaveLength(1)
  for (const { run } of harness.images.jobs) await run()
  expect(await harness.keys()).toHaveLength(before + 1)
})

test('concurrent photos are all counted, and published with every count in order', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, index) => send('U3', `300${index}`)))
  expect(await count('U3')).toEqual(counted('U3', 8))
  expect(await published('U3')).toEqual(
    Array.from({ length: 8 }, (_, index) => ({ userId: 'U3', count: index + 1 })),
  )
})

/** A count is read and written without the cache where Redis is late. */
const untilCached = (userId: string) =>
  until(
    async () => {
      await count(userId)
      const keys = await cached(userId)
      return keys.length > 0 && keys
    },
    { what: 'the count is cached' },
  )
const untilCount = (userId: string, photos: number) =>
  until(async () => Bun.deepEquals(await count(userId), counted(userId, photos)), {
    what: `a count of ${photos}`,
  })

test('the count is cached for 30 days and dropped by the next photo', async () => {
  await send('U4', '4001')
  const [key = ''] = await untilCached('U4')
  expect(await harness.redis.pTTL(key)).toBeGreaterThan(2_591_900_000)
  await harness.sql`UPDATE media.photo_counts SET photos = 7 WHERE user_id = 'U4'`
  await untilCount('U4', 1)
  await send('U4', '4002')
  await untilCount('U4', 8)
})

test('a participant without photos has 0 and is not cached; an invalid userId is 400', async () => {
  expect(await count('unknown')).toEqual(counted('unknown', 0))
  expect(await cached('unknown')).toEqual([])
  for (const query of ['', '?userId=', '?userId=a%20b', `?userId=${'a'.repeat(65)}`])
    expect((await harness.call(`/photos/count${query}`)).status).toBe(400)
})

test.each([
  ['no picture', Buffer.from('<html>')],
  ['nothing', Buffer.alloc(0)],
])('%s is refused, and not counted', async (_, body) => {
  expect((await send('U5', `5${body.byteLength}`, body)).status).toBe(400)
  expect(await count('U5')).toEqual(counted('U5', 0))
})

test('a body of 10 MB is read, a larger one is 413', async () => {
  const large = Buffer.concat([photo, Buffer.alloc(10_485_760 - photo.byteLength)])
  expect((await send('U6', '6001', large)).status).toBe(200)
  expect((await send('U6', '6002', Buffer.concat([large, Buffer.alloc(1)]))).status).toBe(413)
})

test('an invalid messageId or userId is 400', async () => {
  expect((await send('U7', 'a%2Fb')).status).toBe(400)
  expect((await send('a%20b', '7001')).status).toBe(400)
})

test('while the object store is away a photo is 503 without a row; delivered again, it is stored', async () => {
  harness.away()
  expect((await send('U8', '8001')).status).toBe(503)
  expect(await count('U8')).toEqual(counted('U8', 0))
  harness.back()
  const sent = await until(
    async () => {
      const answer = await send('U8', '8001')
      return answer.status === 200 && answer
    },
    { what: 'the object store to be back' },
  )
  expect(sent.data).toMatchObject({ count: 1, added: true })
})

test('without Redis the database counts, and the event drops the cached count later', async () => {
  await send('U9', '9001')
  await untilCached('U9')
  await untilWritten(() => harness.redis.info('persistence'))
  await harness.redisServer.kill9()
  expect((await send('U9', '9002')).status).toBe(200)
  expect(await count('U9')).toEqual(counted('U9', 2))
  await harness.redisServer.restart()
  await until(() => harness.redis.isReady, { what: 'Redis to be back' })
  await untilCount('U9', 1)
  const event = {
    id: crypto.randomUUID(),
    type: 'photos.changed',
    at: new Date().toISOString(),
    data: { userId: 'U9', count: 2 },
  } as const
  await harness.images.handlers['photos.changed'](event)
  expect(await count('U9')).toEqual(counted('U9', 2))
})
