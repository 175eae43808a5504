import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import sharp from 'sharp'
import { openRedis } from '../../test/stores.ts'
import { createSanitizer } from '../sanitizer/sanitizer.ts'
import { uploadQuota } from './quota.ts'
import { upload } from './upload.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'media', level: 'silent' })
const sanitizer = createSanitizer({ log, waitMsMax: 60_000, deadlineMs: 60_000 })
let store: Awaited<ReturnType<typeof openRedis>>
beforeAll(async () => {
  store = await openRedis(log)
})
afterAll(async () => {
  sanitizer.stop?.()
  await store.close()
})

/** 20 megapixels, interlaced, whose last bytes are missing: all of it is decoded before that shows. */
async function cutOff(): Promise<Uint8Array> {
  const picture = sharp({ create: { width: 5_000, height: 4_000, channels: 3, background: '#fde' } })
  const png = await picture.png({ compressionLevel: 9, progressive: true }).toBuffer()
  return new Uint8Array(png.subarray(0, png.byteLength - 60))
}

const uploaderWith = (decodingMsPerHour: number, limits = {}) => {
  const stored: string[] = []
  const quota = uploadQuota({
    redis: store.redis,
    log,
    secret: 'a secret',
    deadlineMs: TEST_TIMEOUT_MS,
    decodingMsPerHour,
    ...limits,
  })
  const screenshots = {
    store: {
      add: async ({ filename }: { filename: string }) => stored.push(filename) > 0,
      objectKeyOf: async () => null,
    },
    objects: { put: async () => {}, get: async () => null },
    sanitizer,
    quota,
    receiptOf: () => '',
    urlOf: (filename: string) => filename,
  }
  return {
    stored,
    send: (bytes: Uint8Array, from: string) =>
      upload(screenshots, { bytes, userId: null }, { client: from, receivedAt: Date.now() }),
  }
}
const PNG = { as: 'png', pixelsMax: 20_000_000, bytesMax: 10_000_000 } as const
const reasonOf = (outcome: unknown) => (outcome instanceof ApiError ? outcome.code : 'stored')

test('an image that fails late counts by its decoding time, and its network stays within its quota', async () => {
  const late = await cutOff()
  expect(late.byteLength).toBeLessThan(76_000)
  let spentMs = 0
  const onDecoded = (processorMs: number) => {
    spentMs = processorMs
  }
  await sanitizer.sanitize(late, PNG, { client: 'a', onDecoded })
  expect(spentMs).toBeGreaterThan(50)
  const { send, stored } = uploaderWith(50, { uploadsPerHour: 1 })
  expect(await send(late, '203.0.113.1')).toMatchObject({ code: 'invalid' })
  expect(await send(late, '203.0.113.1')).toMatchObject({
    code: 'tooMany',
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  })
  expect(stored).toEqual([])
  const small = new Uint8Array(
    await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fde' } })
      .png()
      .toBuffer(),
  )
  expect(reasonOf(await send(small, '203.0.113.2'))).toBe('stored')
})

test('what is no image is refused without decoding, and does not count', async () => {
  const { send } = uploaderWith(1, { uploadsPerHour: 1 })
  for (let count = 0; count < 5; count++)
    expect(reasonOf(await send(Buffer.from('<html>'), '203.0.113.3'))).toBe('invalid')
})
