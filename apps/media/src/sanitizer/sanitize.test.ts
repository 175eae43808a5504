import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { HANG_MS } from '@palanquin/testing/hang'
import sharp from 'sharp'
import { hostilePictures } from '../../test/hostile-images.ts'
import { CANARY, type Hostile } from '../../test/image-parts.ts'
import type { Picture, Wanted } from './image.ts'
import { chunksOf } from './png-chunks.ts'
import { type Cleaner, createCleaner } from './sanitizer.ts'

setDefaultTimeout(HANG_MS)

const PNG: Wanted = { as: 'png', pixelsMax: 20_000_000, bytesMax: 5_000_000 }
let cleaner: Cleaner
let corpus: Hostile[]
beforeAll(async () => {
  cleaner = createCleaner({ log: createLog({ service: 'media', level: 'silent' }), workMsMax: 30_000 })
  corpus = await hostilePictures()
})
afterAll(() => cleaner.stop?.())

const clean = (bytes: Uint8Array, wanted = PNG) => cleaner.clean(bytes, wanted)
async function picture(bytes: Uint8Array, wanted = PNG): Promise<Picture> {
  const cleaned = await clean(bytes, wanted)
  if ('picture' in cleaned) return cleaned.picture
  throw new Error(JSON.stringify(cleaned))
}
const has = (bytes: Uint8Array, text: string) => Buffer.from(bytes).includes(text)

test('each hostile picture is refused with a sentence, or comes out clean', async () => {
  for (const { name, bytes, fate } of corpus) {
    expect(bytes.byteLength, name).toBeLessThanOrEqual(102_400)
    const cleaned = await clean(bytes)
    if (fate === 'refused') expect(cleaned, name).toMatchObject({ refused: expect.stringMatching(/\w/) })
    if (typeof fate === 'object') expect(cleaned, name).toMatchObject({ picture: fate })
    if (!('picture' in cleaned)) continue
    const { bytes: out, width, height } = cleaned.picture
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

test('hundreds of hostile pictures leave this process and the others as large as they were', async () => {
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round++)
      await Promise.all([
        clean(corpus[round % corpus.length]?.bytes ?? new Uint8Array()),
        clean(corpus[(round * 7) % corpus.length]?.bytes ?? new Uint8Array()),
      ])
    Bun.gc(true)
    return process.memoryUsage.rss()
  }
  const before = await rounds(corpus.length)
  expect((await rounds(100)) - before).toBeLessThan(64_000_000)
  expect(cleaner.pids.length).toBeLessThanOrEqual(2)
})

test('the pixels of a picture survive its cleaning', async () => {
  const colours = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 17, 34, 51, 250, 240, 230, 0, 0, 0])
  const raw = { raw: { width: 3, height: 2, channels: 3 as const } }
  const { bytes } = await picture(await sharp(colours, raw).png().toBuffer())
  expect(await sharp(bytes).removeAlpha().raw().toBuffer()).toEqual(colours)
})

test('transparency survives in a PNG, and becomes white in a JPEG', async () => {
  const clear = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000000' } })
    .png()
    .toBuffer()
  expect((await sharp((await picture(clear)).bytes).stats()).isOpaque).toBe(false)
  const flat = await picture(clear, { ...PNG, as: 'jpeg' })
  const [red = 0, green = 0] = await sharp(flat.bytes).raw().toBuffer()
  expect([red, green].every((value) => value > 250)).toBe(true)
})

test('a picture that would be too large as PNG becomes smaller, in its proportions', async () => {
  const noise = crypto.getRandomValues(new Uint8Array(60_000))
  const bytes = await sharp(noise, { raw: { width: 200, height: 100, channels: 3 } })
    .png()
    .toBuffer()
  const small = await picture(bytes, { ...PNG, bytesMax: 20_000 })
  expect(small.bytes.byteLength).toBeLessThanOrEqual(20_000)
  expect(small.width / small.height).toBeCloseTo(2, 1)
  expect(small.width).toBeGreaterThan(60)
})

test('a photo keeps within its sides, upright, and tells nothing of where it was taken', async () => {
  const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#385f71' } })
    .withExif({ IFD0: { Copyright: CANARY }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 8 })
    .jpeg()
    .toBuffer()
  const photo = await picture(bytes, { ...PNG, as: 'jpeg', sidePixels: 100 })
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
