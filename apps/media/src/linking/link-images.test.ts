import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import sharp from 'sharp'
import { type ImageHarness, imageHarness } from '../../test/image-harness.ts'
import { png } from '../../test/png.ts'

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

const send = (userId: string) =>
  harness.call(`/internal/photos?userId=${userId}&messageId=${crypto.randomUUID()}`, { body: photo })
const shareIds = async (userId: string) => {
  const rows =
    await harness.sql`SELECT share_id FROM media.card_shares WHERE user_id = ${userId} ORDER BY share_id`
  return rows.map(({ share_id }) => share_id)
}
const count = async (userId: string) => {
  const answer = await harness.call(`/photos/count?userId=${userId}`)
  return ((await answer.json()) as { data: { count: number } }).data.count
}

test('photos and screenshots of a device are the person’s, each counted once, however often it is joined', async () => {
  const image = `data:image/png;base64,${png({ width: 9, height: 9 }).toString('base64')}`
  await harness.call('/feedback-upload', { json: { image, userId: 'w_device' } })
  for (const userId of ['w_device', 'w_device', 'Uperson', 'Uother']) await send(userId)
  await harness.sql`INSERT INTO media.card_shares (user_id, share_id)
    VALUES ('w_device', 'of-device'), ('Uperson', 'of-person')`
  expect([await count('w_device'), await count('Uperson')]).toEqual([2, 1])
  for (let round = 0; round < 3; round++) {
    const link = { json: { deviceId: 'w_device', userId: 'Uperson' } }
    expect((await harness.call('/internal/link', link)).status).toBe(200)
    expect([await count('w_device'), await count('Uperson'), await count('Uother')]).toEqual([0, 3, 1])
  }
  // Received before, and stored after.
  await send('w_device')
  await harness.call('/internal/link', { json: { deviceId: 'w_device', userId: 'Uperson' } })
  expect([await count('w_device'), await count('Uperson')]).toEqual([0, 4])
  expect(await shareIds('Uperson')).toEqual(['of-device', 'of-person'])
  const rows = await harness.sql`SELECT user_id FROM media.screenshots UNION SELECT user_id FROM media.photos`
  expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(['Uother', 'Uperson'])
})
