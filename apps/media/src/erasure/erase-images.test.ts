import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { ARRIVED_HEADER } from '@palanquin/service/http/headers'
import { emptyTables } from '@palanquin/testing/empty-tables'
import { searchPostgres } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import sharp from 'sharp'
import { type ImageHarness, imageHarness } from '../../test/image-harness.ts'
import { png } from '../../test/png.ts'
import { discardedStore } from '../discarded-objects/store.ts'
import { sweepAbandoned, sweepUnknown } from '../discarded-objects/sweep.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let harness: ImageHarness
let photo: Buffer
beforeAll(async () => {
  harness = await imageHarness()
  photo = await sharp(png({ width: 9, height: 9 }))
    .jpeg()
    .toBuffer()
})
afterAll(() => harness.close())

const image = `data:image/png;base64,${png({ width: 9, height: 9 }).toString('base64')}`
const upload = async (userId?: string): Promise<string> => {
  const answer = await harness.call('/feedback-upload', { json: { image, ...(userId ? { userId } : {}) } })
  return ((await answer.json()) as { data: { filename: string } }).data.filename
}
const send = (userId: string) =>
  harness.call(`/internal/photos?userId=${userId}&messageId=${crypto.randomUUID()}`, { body: photo })
const shown = async (filename: string) => (await harness.call(`/feedback-image/${filename}.png`)).status
const erase = async () => {
  const answer = await harness.call('/internal/erase', { json: { userId: 'Ugone' } })
  const { data } = (await answer.json()) as { data?: unknown }
  return answer.status === 200 ? data : answer.status
}
const erased = (photos: number, screenshots: number) => ({ erased: { photos, screenshots } })

let others: string[]
let theirs: string[]
beforeEach(async () => {
  await emptyTables(
    harness.sql,
    'media.photos',
    'media.photo_counts',
    'media.screenshots',
    'media.outbox',
    'engagement.feedback',
    'engagement.lost_cases',
  )
  await harness.objects.remove(await harness.keys())
  others = [await upload(), await upload('Ustays')]
  theirs = [await upload('Ugone'), await upload()]
  await harness.sql`INSERT INTO engagement.feedback ${harness.sql({ user_id: 'Ugone', category: 'bug', message: 'm', screenshot: theirs[1] ?? '', edit_token_hash: 'x' })}`
  for (const userId of ['Ugone', 'Ugone', 'Ustays']) await send(userId)
  await harness.call('/photos/count?userId=Ugone')
})

test('rows, objects, events and cached count of a participant are erased, and nothing of others', async () => {
  expect(await harness.keys()).toHaveLength(7)
  expect(await erase()).toEqual(erased(2, 2))
  expect(await harness.keys()).toHaveLength(3)
  for (const filename of theirs) expect(await shown(filename)).toBe(404)
  for (const filename of others) expect(await shown(filename)).toBe(200)
  for (const table of ['photos', 'photo_counts', 'screenshots', 'outbox', 'discarded_objects']) {
    const rows = await harness.sql`SELECT * FROM ${harness.sql(`media.${table}`)}`
    expect(JSON.stringify(rows), table).not.toContain('Ugone')
  }
  expect(await harness.redis.keys('*Ugone*')).toEqual([])
  expect(await harness.call('/photos/count?userId=Ustays').then((answer) => answer.json())).toMatchObject({
    data: { count: 1 },
  })
  expect(await erase()).toEqual(erased(0, 0))
})

test('without the object store an erasure is 503 and hides the images, and a repeated call completes it', async () => {
  harness.away()
  expect(await erase()).toBe(503)
  for (const filename of theirs) expect(await shown(filename)).toBe(404)
  harness.back()
  await until(async () => Bun.deepEquals(await erase(), erased(0, 0)), { what: 'an erasure to its end' })
  expect(await harness.keys()).toHaveLength(3)
})

test('an old object without a row is deleted, and none that has a row', async () => {
  for (const key of ['screenshots/lost.png', 'photos/lost.jpg', 'cards/of-others.png'])
    await harness.objects.put(key, photo)
  const swept = { store: discardedStore(harness.db), objects: harness.objects, log: harness.log }
  const before = (await harness.keys()).length
  expect(await sweepUnknown(swept, { nowMs: Date.now() })).toBe(0)
  expect(await sweepUnknown(swept, { nowMs: Date.now() + 60_000, ageMs: 0 })).toBe(2)
  const keys = await harness.keys()
  expect(keys).toHaveLength(before - 2)
  expect(keys).toContain('cards/of-others.png')
})

test('a photo or screenshot that was received before an erasure and is stored after it is void', async () => {
  const userId = 'Umeanwhile'
  const erasedAt = new Date(Date.now() - 1_000)
  await harness.sql`INSERT INTO tracking.erasures (mark, shard, at)
    VALUES (${erasureTokens('pseudonym-secret-of-the-tests')(userId)}, 0, ${erasedAt})`
  const headers = { [ARRIVED_HEADER]: String(erasedAt.getTime()) }
  const photoOf = `/internal/photos?userId=${userId}&messageId=${crypto.randomUUID()}`
  expect((await harness.call(photoOf, { body: photo, headers })).status).toBe(200)
  expect((await harness.call('/feedback-upload', { json: { image, userId }, headers })).status).toBe(503)
  expect(await searchPostgres(harness.sql, [userId])).toEqual([])
  expect((await harness.call(photoOf, { body: photo })).status).toBe(200)
  expect(await searchPostgres(harness.sql, [userId])).not.toEqual([])
})

const insertCase = (photo: string, userId: string | null) =>
  harness.sql`INSERT INTO engagement.lost_cases ${harness.sql({ kind: 'lost', about: 'a', photo, user_id: userId })}`

test('a photo of a case about the participant is erased, and of no other case', async () => {
  await insertCase(others[0] ?? '', 'Ugone')
  await insertCase(others[1] ?? '', null)
  expect(await erase()).toEqual(erased(2, 3))
  expect([await shown(others[0] ?? ''), await shown(others[1] ?? '')]).toEqual([404, 200])
})

test('a screenshot that nothing names is deleted after a day, and one of feedback or of a case is kept', async () => {
  await insertCase(others[0] ?? '', null)
  const swept = { store: discardedStore(harness.db), objects: harness.objects, log: harness.log }
  expect(await sweepAbandoned(swept)).toBe(0)
  await harness.sql`UPDATE media.screenshots SET created_at = now() - interval '25 hours'`
  expect(await sweepAbandoned(swept)).toBe(2)
  expect([await shown(others[0] ?? ''), await shown(theirs[1] ?? '')]).toEqual([200, 200])
  expect([await shown(others[1] ?? ''), await shown(theirs[0] ?? '')]).toEqual([404, 404])
  await harness.sql`DELETE FROM engagement.lost_cases`
  expect(await sweepAbandoned(swept)).toBe(1)
  expect(await shown(others[0] ?? '')).toBe(404)
})
