import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import sharp from 'sharp'
import { hostileImages } from '../../test/hostile-images.ts'
import { CANARY, type Hostile } from '../../test/image-parts.ts'
import type { Image, ImageTarget } from './image.ts'
import { chunksOf } from './sanitize.ts'
import { createSanitizer, type Sanitizer } from './sanitizer.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PNG: ImageTarget = { as: 'png', pixelsMax: 20_000_000, bytesMax: 5_000_000 }
let sanitizer: Sanitizer
let corpus: Hostile[]
beforeAll(async () => {
  sanitizer = createSanitizer({ log: createLog({ service: 'media', level: 'silent' }), deadlineMs: 30_000 })
  corpus = await hostileImages()
})
afterAll(() => sanitizer.stop?.())

const sanitize = (bytes: Uint8Array, target = PNG) => sanitizer.sanitize(bytes, target)
async function imageOf(bytes: Uint8Array, target = PNG): Promise<Image> {
  const sanitized = await sanitize(bytes, target)
  if ('image' in sanitized) return sanitized.image
  throw new Error(JSON.stringify(sanitized))
}
const has = (bytes: Uint8Array, text: string) => Buffer.from(bytes).includes(text)

test('each hostile image is refused with a sentence, or comes out clean', async () => {
  for (const { name, bytes, expected } of corpus) {
    expect(bytes.byteLength, name).toBeLessThanOrEqual(102_400)
    const sanitized = await sanitize(bytes)
    if (expected === 'refused')
      expect(sanitized, name).toMatchObject({ refused: expect.stringMatching(/\w/) })
    if (typeof expected === 'object') expect(sanitized, name).toMatchObject({ image: expected })
    if (!('image' in sanitized)) continue
    const { bytes: out, width, height } = sanitized.image
    const types = new Set(chunksOf(out).map(({ type }) => type))
    expect(
      [...types].every((type) => ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].includes(type)),
      name,
    ).toBe(true)
    expect(out[24], `${name}: bits a channel`).toBe(8)
    expect(chunksOf(out).at(-1)?.end, `${name}: nothing behind the end`).toBe(out.byteLength)
    expect(has(out, CANARY) || has(out, '<script'), name).toBe(false)
    expect(await sharp(out).metadata(), name).toMatchObject({
      format: 'png',
      width,
      height,
      space: expect.stringMatching(/srgb|b-w/),
    })
  }
})

test('hundreds of hostile images leave the memory of the service and of the processes as it was', async () => {
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++)
      await Promise.all([
        sanitize(corpus[round % corpus.length]?.bytes ?? new Uint8Array()),
        sanitize(corpus[(round * 7) % corpus.length]?.bytes ?? new Uint8Array()),
      ])
    Bun.gc(true)
    return process.memoryUsage.rss()
  }
  const before = await rounds(corpus.length)
  expect((await rounds(100)) - before).toBeLessThan(64_000_000)
  expect(sanitizer.pids.length).toBeLessThanOrEqual(2)
})

test('the pixels of an image survive its sanitizing', async () => {
  const colours = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 17, 34, 51, 250, 240, 230, 0, 0, 0])
  const raw = { raw: { width: 3, height: 2, channels: 3 as const } }
  const { bytes } = await imageOf(await sharp(colours, raw).png().toBuffer())
  expect(await sharp(bytes).removeAlpha().raw().toBuffer()).toEqual(colours)
})

test('transparency survives in a PNG, and becomes white in a JPEG', async () => {
  const clear = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000000' } })
    .png()
    .toBuffer()
  expect((await sharp((await imageOf(clear)).bytes).stats()).isOpaque).toBe(false)
  const flat = await imageOf(clear, { ...PNG, as: 'jpeg' })
  const [red = 0, green = 0] = await sharp(flat.bytes).raw().toBuffer()
  expect([red, green].every((value) => value > 250)).toBe(true)
})

test('an image that would be too large as PNG becomes smaller, in its proportions', async () => {
  const noise = crypto.getRandomValues(new Uint8Array(60_000))
  const bytes = await sharp(noise, { raw: { width: 200, height: 100, channels: 3 } })
    .png()
    .toBuffer()
  const small = await imageOf(bytes, { ...PNG, bytesMax: 20_000 })
  expect(small.bytes.byteLength).toBeLessThanOrEqual(20_000)
  expect(small.width / small.height).toBeCloseTo(2, 1)
  expect(small.width).toBeGreaterThan(60)
})

test('a photo fits into its sides, upright, without the place where it was taken', async () => {
  const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#385f71' } })
    .withExif({ IFD0: { Copyright: CANARY }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 8 })
    .jpeg()
    .toBuffer()
  const photo = await imageOf(bytes, { ...PNG, as: 'jpeg', sidePixels: 100 })
  expect([photo.width, photo.height]).toEqual([67, 100])
  const { format, exif, icc, xmp, orientation } = await sharp(photo.bytes).metadata()
  expect({ format, exif, icc, xmp, orientation }).toMatchObject({
    format: 'jpeg',
    exif: undefined,
    icc: undefined,
    xmp: undefined,
    orientation: undefined,
  })
})
