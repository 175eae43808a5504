/** What an image from outside may be, and what is made of it. */

const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const
type ImageFormat = (typeof IMAGE_FORMATS)[number]

/** What an image is converted to. */
export type ImageTarget = {
  as: 'png' | 'jpeg'
  /** Limit of the pixels of the input: width × height. */
  pixelsMax: number
  /** Made smaller until neither side is longer than this. Left out: as it is. */
  sidePixels?: number
  /** Made smaller until it has no more bytes than this. */
  bytesMax: number
}

export type Image = { bytes: Uint8Array<ArrayBuffer>; width: number; height: number }

/** The sanitized image, or a sentence for the sender of something else. */
export type Sanitized = { image: Image } | { refused: string }

/** What browsers and phones can still show. */
export const SIDE_PIXELS_MAX = 32_767

export const NOT_AN_IMAGE = 'expected a PNG, JPEG or WebP picture'
export const UNREADABLE = 'the picture is damaged and cannot be read'

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG = [0xff, 0xd8, 0xff]
const RIFF = [0x52, 0x49, 0x46, 0x46]
const WEBP = [0x57, 0x45, 0x42, 0x50]

/** The format by the first bytes, whatever a label says; null for any other format. */
export function formatOf(bytes: Uint8Array): ImageFormat | null {
  const has = (signature: readonly number[], at = 0) =>
    signature.every((byte, index) => bytes[at + index] === byte)
  if (has(PNG)) return 'png'
  if (has(JPEG)) return 'jpeg'
  return has(RIFF) && has(WEBP, 8) ? 'webp' : null
}
