import { crc32 } from 'node:zlib'
import { CARD_HEIGHT, CARD_WIDTH } from '../../themes/themes.ts'

/** Bytes of a pixel: red, green, blue. */
export const CHANNELS = 3
/** A row begins with the number of its filter. */
export const ROW_BYTES = 1 + CARD_WIDTH * CHANNELS
/** Rows of a card behind their filter bytes, so that nothing is copied before compression. */
export const ROWS_BYTES = ROW_BYTES * CARD_HEIGHT

/** Drawings of few colours compress best unfiltered (level 8: 176 kB, with Paeth 217 kB). */
const COMPRESSION_LEVEL = 1

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const CHUNK_FRAME_BYTES = 12
const ZLIB_HEADER = [0x78, 0x01]
const ADLER_MODULUS = 65_521
/** How many bytes can be added before the sums of Adler-32 must be reduced. */
const ADLER_RUN = 3_800

/** Encodes the rows of a card as a PNG of 8 bits a channel, without any metadata. */
export function encodePng(rows: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const deflated = Bun.deflateSync(rows, { library: 'libdeflate', level: COMPRESSION_LEVEL })
  const dataBytes = ZLIB_HEADER.length + deflated.length + 4
  const file = new Uint8Array(SIGNATURE.length + CHUNK_FRAME_BYTES * 3 + 13 + dataBytes)
  file.set(SIGNATURE)
  const view = new DataView(file.buffer)
  let offset = SIGNATURE.length
  const chunk = (name: string, bytes: number, fill: (at: number) => void) => {
    view.setUint32(offset, bytes)
    for (let i = 0; i < 4; i++) file[offset + 4 + i] = name.charCodeAt(i)
    fill(offset + 8)
    view.setUint32(offset + 8 + bytes, crc32(file.subarray(offset + 4, offset + 8 + bytes)))
    offset += CHUNK_FRAME_BYTES + bytes
  }
  chunk('IHDR', 13, (at) => {
    view.setUint32(at, CARD_WIDTH)
    view.setUint32(at + 4, CARD_HEIGHT)
    file.set([8, 2, 0, 0, 0], at + 8) // 8 bits, RGB, the only methods there are, not interlaced
  })
  chunk('IDAT', dataBytes, (at) => {
    file.set(ZLIB_HEADER, at)
    file.set(deflated, at + ZLIB_HEADER.length)
    view.setUint32(at + ZLIB_HEADER.length + deflated.length, adler32(rows))
  })
  chunk('IEND', 0, () => {})
  return file
}

function adler32(bytes: Uint8Array): number {
  let low = 1
  let high = 0
  for (let i = 0; i < bytes.length; ) {
    const end = Math.min(i + ADLER_RUN, bytes.length)
    for (; i < end; i++) {
      low += bytes[i] ?? 0
      high += low
    }
    low %= ADLER_MODULUS
    high %= ADLER_MODULUS
  }
  return ((high << 16) | low) >>> 0
}
