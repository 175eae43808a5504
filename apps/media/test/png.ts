import { crc32, deflateSync } from 'node:zlib'

/** PNG files built chunk by chunk, as no encoder would write them. */

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A chunk with its checksum, or with a wrong one (`crc`). */
export function chunk(type: string, data: Uint8Array, crc?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(4)
  const check = Buffer.alloc(4)
  frame.writeUInt32BE(data.byteLength)
  check.writeUInt32BE(crc ?? crc32(body))
  return Buffer.concat([frame, body, check])
}

export type Shape = { width: number; height: number; depth?: number; colour?: number; interlace?: number }

export function header({ width, height, depth = 8, colour = 2, interlace = 0 }: Shape, crc?: number): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, colour, 0, 0, interlace], 8)
  return chunk('IHDR', data, crc)
}

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Rows of one byte each, unfiltered and compressed: what goes into IDAT. */
export function rows({ width, height, depth = 8, colour = 2 }: Shape, fill = 0x40): Buffer {
  const line = Buffer.alloc(1 + Math.ceil((width * depth * (CHANNELS[colour] ?? 1)) / 8), fill)
  line[0] = 0
  return deflateSync(Buffer.concat(Array.from({ length: height }, () => line)), { level: 9 })
}

/** A whole PNG; `before` goes between header and pixels, `after` behind the end. */
export function png(
  shape: Shape,
  { before = [], after = [], idat }: { before?: Buffer[]; after?: Uint8Array[]; idat?: Buffer } = {},
): Buffer {
  return Buffer.concat([
    PNG_SIGNATURE,
    header(shape),
    ...before,
    chunk('IDAT', idat ?? rows(shape)),
    chunk('IEND', Buffer.alloc(0)),
    ...after,
  ])
}

/** Text that unpacks to `bytes` times the same byte. */
export const inflating = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes, 0x41), { level: 9 })
