import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import sharp from 'sharp'
import { type ImageHarness, imageHarness } from '../../test/image-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const RECEIPT = { id: '01a1fd30-2df0-756b-aff2-21669be03ddb', receivedAt: '2026-05-01T15:00:00.310Z' }
let harness: ImageHarness
let photo: Buffer
/** What was checked in, and how tracking answers. */
let checkins: { userId: string; lat: number; lng: number }[] = []
let refuses: ApiError | null = null
beforeAll(async () => {
  harness = await imageHarness({
    checkIn: async (userId, point) => {
      if (refuses) return refuses
      checkins.push({ userId, ...point })
      return RECEIPT
    },
  })
  photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#385f71' } })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '24/1 36/1 40/1' } })
    .jpeg()
    .toBuffer()
})
afterAll(() => harness.close())
beforeEach(() => {
  checkins = []
  refuses = null
})

const as = (userId: string | null) => (userId === null ? {} : { 'x-internal-user': userId })
async function upload(
  userId: string | null,
  fields: Record<string, string> = {},
  image: Uint8Array<ArrayBuffer> | null = new Uint8Array(photo),
) {
  const form = new FormData()
  if (image) form.append('photo', new Blob([image], { type: 'image/jpeg' }), 'a.jpg')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const answer = await harness.call('/upload/photos', { body: form, headers: as(userId) })
  const body = (await answer.json()) as {
    data?: { id: string; createdAt: string; count: number; checkin: typeof RECEIPT | null }
    error?: string
  }
  return { status: answer.status, data: body.data, error: body.error }
}
type Item = { id: string; createdAt: string; point: { lat: number; lng: number; takenAt: string } | null }
type List = { items: Item[]; nextCursor: string | null; total: number }
async function list(userId: string, query = ''): Promise<List> {
  const answer = await harness.call(`/photos${query}`, { headers: as(userId) })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { data: List }).data
}
const shown = (userId: string | null, id: string) => harness.call(`/photos/${id}`, { headers: as(userId) })
const remove = (userId: string, id: string) =>
  harness.call(`/photos/${id}`, { method: 'DELETE', headers: as(userId) })
const counted = async (userId: string) =>
  ((await (await harness.call(`/photos/count?userId=${userId}`)).json()) as { data: { count: number } }).data
    .count

test('an uploaded photo is cleaned, counted, and shown to its owner alone', async () => {
  const { status, data } = await upload('P1')
  expect([status, data?.count, data?.checkin]).toEqual([201, 1, null])
  const id = data?.id ?? ''
  const picture = await shown('P1', id)
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
  const { format, exif, width } = await sharp(await picture.bytes()).metadata()
  expect({ format, exif, width }).toEqual({ format: 'jpeg', exif: undefined, width: 300 })
  expect((await list('P1')).items).toEqual([{ id, createdAt: data?.createdAt ?? '', point: null }])
  expect(checkins).toEqual([])
  expect((await shown('other', id)).status).toBe(404)
  expect((await shown(null, id)).status).toBe(401)
  expect((await remove('other', id)).status).toBe(404)
  expect(await list('other')).toEqual({ items: [], nextCursor: null, total: 0 })
  expect((await harness.call('/photos')).status).toBe(401)
  expect((await upload(null)).status).toBe(401)
})

test('with a point, as JSON or as fields of the form, the photo is a check-in too', async () => {
  const point = {
    lat: 24.5663,
    lng: 120.7081,
    recordedAt: '2026-05-01T14:59:58.000Z',
    note: '到了',
    accuracy: 8,
  }
  const { status, data } = await upload('P2', { point: JSON.stringify(point) })
  expect([status, data?.checkin]).toEqual([201, RECEIPT])
  expect(checkins).toEqual([{ userId: 'P2', ...point }])
  await upload('P2', { lat: '24.5', lng: '120.7', recorded_at: '1777647600000' })
  expect(checkins[1]).toEqual({ userId: 'P2', lat: 24.5, lng: 120.7, recordedAt: 1777647600000 } as never)
  const { items } = await list('P2')
  expect(items.map(({ point }) => point)).toEqual([
    { lat: 24.5, lng: 120.7, takenAt: '2026-05-01T15:00:00.000Z' },
    { lat: 24.5663, lng: 120.7081, takenAt: '2026-05-01T14:59:58.000Z' },
  ])
})

test('where the check-in is refused, or the point is invalid, nothing is stored', async () => {
  const before = (await harness.keys()).length
  refuses = new ApiError('forbidden', 'The activity is paused.')
  expect(await upload('P3', { lat: '24.5', lng: '120.7' })).toMatchObject({
    status: 403,
    error: 'The activity is paused.',
  })
  refuses = null
  for (const fields of [
    { lat: '24.5' },
    { lat: '91', lng: '1' },
    { point: '{' },
    { point: '[]' },
    { point: 'null' },
  ])
    expect([fields, (await upload('P3', fields)).status]).toEqual([fields, 400])
  expect((await upload('P3', { lat: '24.5', lng: '120.7' }, new TextEncoder().encode('<html>'))).status).toBe(
    400,
  )
  expect((await upload('P3', {}, null)).status).toBe(400)
  expect(checkins).toEqual([])
  expect([await counted('P3'), (await harness.keys()).length]).toEqual([0, before])
})

test('sent again with its time it is the same photo; without a time it is another one', async () => {
  const point = { lat: '24.5', lng: '120.7', recordedAt: '2026-05-01T14:59:58.000Z' }
  const [first, again] = [await upload('P4', point), await upload('P4', point)]
  expect(again.data).toMatchObject({ id: first.data?.id, count: 1 })
  expect((await upload('P4')).data?.count).toBe(2)
  expect((await upload('P4')).data?.count).toBe(3)
  expect((await upload('P4b', point)).data?.count).toBe(1)
})

test('photos from the chat are listed too, page by page, the newest first', async () => {
  for (let index = 0; index < 3; index++)
    await harness.call(`/internal/photos?userId=P5&messageId=p5-${index}`, { body: new Uint8Array(photo) })
  const last = await upload('P5')
  const first = await list('P5', '?limit=3')
  expect([first.items.length, first.items[0]?.id, first.total]).toEqual([3, last.data?.id ?? '', 4])
  const second = await list('P5', `?limit=3&cursor=${first.nextCursor}`)
  expect([second.items.length, second.nextCursor]).toEqual([1, null])
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(4)
  expect((await harness.call('/photos?cursor=made-up', { headers: as('P5') })).status).toBe(400)
})

test('a deleted photo is gone: row, count and, with the sweep, its object', async () => {
  const { data } = await upload('P6')
  await upload('P6')
  const sweep = async () => {
    for (const { run } of harness.images.jobs) await run()
  }
  await sweep()
  const before = (await harness.keys()).length
  expect(await (await remove('P6', data?.id ?? '')).json()).toEqual({
    ok: true,
    data: { id: data?.id, deleted: true },
  })
  expect((await shown('P6', data?.id ?? '')).status).toBe(404)
  expect((await remove('P6', data?.id ?? '')).status).toBe(404)
  expect([await counted('P6'), (await list('P6')).total]).toEqual([1, 1])
  await sweep()
  expect((await harness.keys()).length).toBe(before - 1)
  expect((await remove('P6', 'no-uuid')).status).toBe(400)
})

test('an erasure takes uploaded photos with it', async () => {
  await upload('Ugone', { lat: '24.5', lng: '120.7' })
  const erased = await harness.call('/internal/erase', { json: { userId: 'Ugone' } })
  expect(((await erased.json()) as { data: { erased: object } }).data.erased).toMatchObject({ photos: 1 })
  expect((await list('Ugone')).total).toBe(0)
})
