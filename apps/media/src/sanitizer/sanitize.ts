import sharp, { type Sharp } from 'sharp'
import { type ImageTarget, type Sanitized, SIDE_PIXELS_MAX, UNREADABLE } from './image.ts'

/** The chunks that the pixels of a PNG depend on (PNG specification, 4.7). */
const PIXEL_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
const SIGNATURE_BYTES = 8
/** Length, type and checksum around a chunk's data. */
const FRAME_BYTES = 12

/** The chunks of a well-formed PNG in order, by type and position. */
export function chunksOf(png: Uint8Array): { type: string; start: number; end: number }[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const chunks: { type: string; start: number; end: number }[] = []
  for (let start = SIGNATURE_BYTES; start + FRAME_BYTES <= png.byteLength; ) {
    const end = start + FRAME_BYTES + view.getUint32(start)
    chunks.push({ type: String.fromCharCode(...png.subarray(start + 4, start + 8)), start, end })
    start = end
  }
  return chunks
}

/** A PNG without anything but its pixels. */
function bareChunks(png: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept = chunksOf(png).filter(({ type }) => PIXEL_CHUNKS.has(type))
  const parts = [png.subarray(0, SIGNATURE_BYTES), ...kept.map(({ start, end }) => png.subarray(start, end))]
  return new Uint8Array(Buffer.concat(parts))
}

// libvips reads some thirty formats, among them SVG, PDF and those of ImageMagick: three are left.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
// Nothing of one image is cached for the next, and one image uses one core.
sharp.cache(false)
sharp.concurrency(1)

/** A tenth larger than with 6; 20 megapixels of the worst kind take 1.2 s instead of 2.7 (measured). */
const PNG_EFFORT = { compressionLevel: 3 }
/** About the quality that LINE itself sends photos with. */
const JPEG_EFFORT = { quality: 82, mozjpeg: false }
/** An image with too many bytes is made smaller so often at most, each time by more than it needs. */
const SHRINKS_MAX = 4
const SHRINK_MARGIN = 0.9

/** Encodes an image anew: upright, 8 bits, sRGB, the first frame alone; its size is checked by the header. */
export async function sanitize(bytes: Uint8Array, target: ImageTarget): Promise<Sanitized> {
  try {
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
    const tooLarge = sizeProblem(width, height, target.pixelsMax)
    if (tooLarge) return { refused: tooLarge }
    return await write(bytes, target)
  } catch {
    // What sharp says is about the sender's file.
    return { refused: UNREADABLE }
  }
}

function sizeProblem(width: number, height: number, pixelsMax: number): string | null {
  const sides = Math.max(width, height) > SIDE_PIXELS_MAX
  if (!sides && width * height <= pixelsMax) return null
  return sides
    ? `at most ${SIDE_PIXELS_MAX.toLocaleString('en')} pixels a side are accepted, this picture is ${width} × ${height}`
    : `at most ${pixelsMax / 1_000_000} megapixels are accepted, this picture is ${width} × ${height}`
}

async function write(
  bytes: Uint8Array,
  { as, pixelsMax, sidePixels, bytesMax }: ImageTarget,
): Promise<Sanitized> {
  let side = sidePixels
  for (let shrinks = 0; shrinks <= SHRINKS_MAX; shrinks++) {
    const upright = sharp(bytes, { limitInputPixels: pixelsMax, failOn: 'error', sequentialRead: true })
      .autoOrient()
      .toColourspace('srgb')
    const { data, info } = await encoded(side === undefined ? upright : within(upright, side), as)
    const { width, height, size } = info
    if (size <= bytesMax)
      return { image: { bytes: as === 'png' ? bareChunks(data) : new Uint8Array(data), width, height } }
    side = Math.max(1, Math.floor(Math.max(width, height) * Math.sqrt(bytesMax / size) * SHRINK_MARGIN))
  }
  throw new Error('the image does not become smaller')
}

const within = (image: Sharp, side: number): Sharp =>
  image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })

const encoded = (image: Sharp, as: ImageTarget['as']) =>
  (as === 'png' ? image.png(PNG_EFFORT) : image.flatten({ background: '#fff' }).jpeg(JPEG_EFFORT)).toBuffer({
    resolveWithObject: true,
  })
