import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { HANG_MS } from '@palanquin/testing/hang'
import sharp from 'sharp'
import { type PictureStand, pictureStand } from '../../test/image-harness.ts'
import { png } from '../../test/png.ts'
import { discardedStore } from '../discarded-objects/store.ts'
import { sweepUnknown } from '../discarded-objects/sweep.ts'

setDefaultTimeout(HANG_MS)

let stand: PictureStand
let photo: Buffer
beforeAll(async () => {
  stand = await pictureStand()
  photo = await sharp(png({ width: 9, height: 9 }))
    .jpeg()
    .toBuffer()
})
afterAll(() => stand.close())

const image = `data:image/png;base64,${png({ width: 9, height: 9 }).toString('base64')}`
const upload = async (userId?: string): Promise<string> => {
  const answer = await stand.call('/feedback-upload', { json: { image, ...(userId ? { userId } : {}) } })
  return ((await answer.json()) as { data: { filename: string } }).data.filename
}
const send = (userId: string) =>
  stand.call(`/internal/photos?userId=${userId}&messageId=${crypto.randomUUID()}`, { body: photo })
const shown = async (filename: string) => (await stand.call(`/feedback-image/${filename}.png`)).status
const erase = async () => {
  const answer = await stand.call('/internal/erase', { json: { userId: 'Ugone' } })
  const { data } = (await answer.json()) as { data?: unknown }
  return answer.status === 200 ? data : answer.status
}
const erased = (photos: number, screenshots: number) => ({ erased: { photos, screenshots } })

let others: string[]
let theirs: string[]
beforeEach(async () => {
  await stand.sql`TRUNCATE media.photos, media.photo_counts, media.screenshots, media.outbox, engagement.feedback CASCADE`
  await stand.objects.remove(await stand.keys())
  others = [await upload(), await upload('Ustays')]
  theirs = [await upload('Ugone'), await upload()]
  await stand.sql`INSERT INTO engagement.feedback ${stand.sql({ user_id: 'Ugone', category: 'bug', message: 'm', screenshot: theirs[1] ?? '', edit_token_hash: 'x' })}`
  for (const userId of ['Ugone', 'Ugone', 'Ustays']) await send(userId)
  await stand.call('/photos/count?userId=Ugone')
})

test('rows, objects, news and cached count of a participant are gone, and nothing of anybody else', async () => {
  expect(await stand.keys()).toHaveLength(7)
  expect(await erase()).toEqual(erased(2, 2))
  expect(await stand.keys()).toHaveLength(3)
  for (const filename of theirs) expect(await shown(filename)).toBe(404)
  for (const filename of others) expect(await shown(filename)).toBe(200)
  for (const table of ['photos', 'photo_counts', 'screenshots', 'outbox', 'discarded_objects']) {
    const rows = await stand.sql`SELECT * FROM ${stand.sql(`media.${table}`)}`
    expect(JSON.stringify(rows), table).not.toContain('Ugone')
  }
  expect(await stand.redis.keys('*Ugone*')).toEqual([])
  expect(await stand.call('/photos/count?userId=Ustays').then((answer) => answer.json())).toMatchObject({
    data: { count: 1 },
  })
  expect(await erase()).toEqual(erased(0, 0))
})

test('with the object store away it says so, shows nothing any more, and a repeated call finishes it', async () => {
  await stand.s3.kill9()
  expect(await erase()).toBe(503)
  for (const filename of theirs) expect(await shown(filename)).toBe(404)
  await stand.s3.restart()
  expect(await erase()).toEqual(erased(0, 0))
  expect(await stand.keys()).toHaveLength(3)
})

test('an object whose row never came is deleted once it is old, and none that a row knows', async () => {
  for (const key of ['screenshots/lost.png', 'photos/lost.jpg', 'cards/of-others.png'])
    await stand.objects.put(key, photo, { contentType: 'image/png' })
  const swept = { store: discardedStore(stand.db), objects: stand.objects, log: stand.log }
  const before = (await stand.keys()).length
  expect(await sweepUnknown(swept, { nowMs: Date.now() })).toBe(0)
  expect(await sweepUnknown(swept, { nowMs: Date.now() + 60_000, ageMs: 0 })).toBe(2)
  const keys = await stand.keys()
  expect(keys).toHaveLength(before - 2)
  expect(keys).toContain('cards/of-others.png')
})
