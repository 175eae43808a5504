import sharp from 'sharp'
import { frames, type Hostile, keyword, photo, SCRIPT, SMALL, small, text, zeros } from './image-parts.ts'
import { imagesWithPayload } from './images-with-payload.ts'
import { chunk, header, inflating, PNG_SIGNATURE, png, rows, type Shape } from './png.ts'

const MEGABYTE = 1_000_000

/** A progressive JPEG whose last scan is there a thousand times: each of them is a pass over all pixels. */
async function scans(): Promise<Buffer> {
  const file = await sharp({ create: { width: 3_000, height: 3_000, channels: 3, background: '#777' } })
    .jpeg({ progressive: true, quality: 10 })
    .toBuffer()
  const last = file.lastIndexOf(Buffer.from([0xff, 0xda]))
  const scan = file.subarray(last, -2)
  return Buffer.concat([
    file.subarray(0, -2),
    ...Array.from({ length: 1_000 }, () => scan),
    file.subarray(-2),
  ])
}

/** Formats beyond the allowlist, some of which libvips could read. */
async function otherFormats(): Promise<Hostile[]> {
  const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), text('ftypheic\0\0\0\0heicmif1'), zeros(64)])
  const bmp = Buffer.concat([
    text('BM'),
    zeros(12),
    Buffer.from([40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]),
    zeros(28),
  ])
  const files: Record<string, Uint8Array> = {
    'an animated GIF': await frames().gif().toBuffer(),
    'an AVIF': await photo().avif().toBuffer(),
    'a TIFF': await photo().tiff().toBuffer(),
    'a HEIC header': heic,
    'a BMP': bmp,
    'an ICO that holds a PNG': Buffer.concat([
      Buffer.from([0, 0, 1, 0, 1, 0, 60, 40, 0, 0, 1, 0, 24, 0, 99, 0, 0, 0, 22, 0, 0, 0]),
      png(SMALL),
    ]),
    'an SVG named .png': text(
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/>${SCRIPT}</svg>`,
    ),
    'an HTML page': text(`<!doctype html>${SCRIPT}`),
    'a PDF': text('%PDF-1.7\n1 0 obj<<>>endobj\n'),
    'a ZIP': Buffer.concat([text('PK\x05\x06'), zeros(18)]),
    'plain text': text('not a picture at all'),
    'a PNG behind a line of text': Buffer.concat([text('hello\n'), png(SMALL)]),
    nothing: zeros(0),
    'one byte': zeros(1),
    'the signature of a PNG alone': PNG_SIGNATURE,
    'a RIFF that is no WebP': Buffer.concat([text('RIFF'), zeros(4), text('WAVEfmt '), zeros(32)]),
    'a WebP header alone': Buffer.concat([text('RIFF'), Buffer.from([4, 0, 0, 0]), text('WEBP')]),
    'a JPEG of four bytes': Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
  }
  return Object.entries(files).map(([name, bytes]) => ({ name, bytes, expected: 'refused' }))
}

function largePictures(): Hostile[] {
  const grey = (width: number, height: number): Shape => ({ width, height, depth: 1, colour: 0 })
  const hollow = (shape: Shape) => png(shape, { idat: rows({ ...shape, height: 1 }) })
  return [
    { name: 'a pixel bomb of 19,000 × 19,000', bytes: png(grey(19_000, 19_000)), expected: 'refused' },
    {
      name: '2,147,483,647 × 2,147,483,647',
      bytes: png({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }, { idat: inflating(99) }),
      expected: 'refused',
    },
    { name: 'one row of 40,000 pixels', bytes: png(grey(40_000, 1)), expected: 'refused' },
    {
      name: '4,000 × 4,000 by its header, with a single row',
      bytes: hollow({ width: 4_000, height: 4_000 }),
      expected: 'refused',
    },
    { name: 'a pixel more than 20 megapixels', bytes: png(grey(4_001, 5_000)), expected: 'refused' },
    {
      name: 'no pixels at all',
      bytes: png({ width: 0, height: 0 }, { idat: inflating(1) }),
      expected: 'refused',
    },
    {
      name: 'exactly 20 megapixels',
      bytes: png(grey(5_000, 4_000)),
      expected: { width: 5_000, height: 4_000 },
    },
    { name: 'one pixel', bytes: png({ width: 1, height: 1 }), expected: { width: 1, height: 1 } },
  ]
}

function unpackingChunks(): Hostile[] {
  const bomb = inflating(60 * MEGABYTE)
  const packed = Buffer.from([0])
  const before = (name: string, part: Buffer): Hostile => ({
    name,
    bytes: png(SMALL, { before: [part] }),
    expected: 'either',
  })
  return [
    before('a colour profile that unpacks to 60 MB', chunk('iCCP', keyword('p', packed, bomb))),
    before('a text that unpacks to 60 MB', chunk('zTXt', keyword('Comment', packed, bomb))),
    before(
      'an international text that unpacks to 60 MB',
      chunk('iTXt', keyword('XML:com.adobe.xmp', Buffer.from([1, 0, 0, 0]), bomb)),
    ),
    before(
      'three thousand texts',
      Buffer.concat(Array.from({ length: 3_000 }, () => chunk('tEXt', keyword('a', text('b'))))),
    ),
    {
      name: 'pixels of 60 MB behind a header of 60 × 40',
      bytes: png(SMALL, { idat: bomb }),
      expected: 'either',
    },
  ]
}

async function damaged(): Promise<Hostile[]> {
  const noise = Buffer.from(Array.from({ length: 60 * 40 * 3 }, (_, index) => (index * 7_919) % 251))
  const noisy = () => sharp(noise, { raw: { ...small, channels: 3 } })
  const half = (file: Buffer) => file.subarray(0, file.byteLength / 2)
  const pixels = rows(SMALL)
  const wrong = (parts: Buffer[]) => Buffer.concat([PNG_SIGNATURE, ...parts, chunk('IEND', zeros(0))])
  return [
    { name: 'half a PNG', bytes: half(await noisy().png().toBuffer()), expected: 'refused' },
    { name: 'half a JPEG', bytes: half(await noisy().jpeg().toBuffer()), expected: 'refused' },
    { name: 'half a WebP', bytes: half(await noisy().webp().toBuffer()), expected: 'refused' },
    {
      name: 'a header with a wrong checksum',
      bytes: wrong([header(SMALL, 1), chunk('IDAT', pixels)]),
      expected: 'refused',
    },
    {
      name: 'pixels with a wrong checksum',
      bytes: wrong([header(SMALL), chunk('IDAT', pixels, 1)]),
      expected: 'either',
    },
    { name: 'a PNG without pixels', bytes: wrong([header(SMALL)]), expected: 'refused' },
    {
      name: 'a chunk that says it has 2 GB',
      bytes: Buffer.concat([
        PNG_SIGNATURE,
        header(SMALL),
        Buffer.from([0x7f, 0xff, 0xff, 0xff]),
        text('tEXt'),
      ]),
      expected: 'refused',
    },
    { name: 'a JPEG of a thousand scans', bytes: await scans(), expected: 'either' },
  ]
}

/** Every known kind of hostile image; each fits into an upload. */
export async function hostileImages(): Promise<Hostile[]> {
  return [
    ...(await otherFormats()),
    ...largePictures(),
    ...unpackingChunks(),
    ...(await damaged()),
    ...(await imagesWithPayload()),
  ]
}
