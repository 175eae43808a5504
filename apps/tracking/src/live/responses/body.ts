import { constants, createGzip } from 'node:zlib'
import type { Buffers } from './buffers.ts'
import { ByteWriter } from './byte-writer.ts'
import { type Context, type Format, writeData } from './formats.ts'
import type { Selection } from './selection.ts'

/** Positions hardly repeat: a higher level costs time and saves nothing. */
const GZIP_LEVEL = constants.Z_BEST_SPEED
/** Compressing this many bytes takes a millisecond, less than a thread takes to start on it. */
const INLINE_BYTES_MAX = 163_840
const GZIP_CHUNK_BYTES = 262_144
/** About what a position takes in each format, and everything around the positions. */
const ROW_BYTES: Record<Format, number> = { columns: 84, json: 190, geojson: 260 }
const FRAME_BYTES = 1_024
/** A smaller body leaves its buffer at once. */
const COPIED_BYTES_MAX = 1_048_576

/** The body of a response; what of it is asked for is made once and shared by many responses without a copy for each. */
export type Body = {
  readonly length: number
  plain: () => Blob
  gzipped: () => Promise<Blob>
  /** It will not be asked for any more: its buffer is used again once it is compressed. */
  release: () => void
}

export function buildBody(buffers: Buffers, format: Format, selection: Selection, context: Context): Body {
  const writer = new ByteWriter(buffers, FRAME_BYTES + selection.slots.length * ROW_BYTES[format])
  // GeoJSON stands by itself, the others are wrapped as every success.
  if (format !== 'geojson') writer.text('{"ok":true,"data":')
  writeData(writer, format, selection, context)
  if (format !== 'geojson') writer.text('}')
  const { written, buffer } = writer.finish()
  if (written.length > COPIED_BYTES_MAX) return bodyOf(written, () => buffers.give(buffer))
  const copy = written.slice()
  buffers.give(buffer)
  return bodyOf(copy, () => {})
}

/** `onReleased` is called once, when nothing reads the bytes any more. */
function bodyOf(bytes: Uint8Array<ArrayBuffer>, onReleased: () => void): Body {
  let kept: Uint8Array<ArrayBuffer> | undefined = bytes
  let plain: Blob | undefined
  let gzipped: Promise<Blob> | undefined
  const drop = () => {
    if (kept) onReleased()
    kept = undefined
  }
  const compress = async () => compressed(kept ?? (await bytesOf(plain)))
  return {
    length: bytes.length,
    plain: () => {
      if (plain || !kept) return plain ?? new Blob()
      plain = new Blob([kept])
      if (!gzipped) drop() // the same bytes twice are 20 MB too many
      return plain
    },
    gzipped: () => {
      gzipped ??= compress()
      return gzipped
    },
    release: () => {
      if (gzipped) void gzipped.then(drop, drop)
      else drop()
    },
  }
}

const bytesOf = async (blob = new Blob()): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await blob.arrayBuffer())

/** Compresses small bodies inline, and large ones piece by piece in a thread of the pool. */
const compressed = async (bytes: Uint8Array<ArrayBuffer>): Promise<Blob> =>
  bytes.length <= INLINE_BYTES_MAX
    ? new Blob([Bun.gzipSync(bytes, { level: 1, library: 'libdeflate' })])
    : await compressedInThread(bytes)

function compressedInThread(bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: GZIP_CHUNK_BYTES })
  const pieces: Buffer<ArrayBuffer>[] = []
  const whole = new Promise<Blob>((resolve, reject) => {
    gzip.on('data', (piece: Buffer<ArrayBuffer>) => pieces.push(piece))
    gzip.on('end', () => resolve(new Blob(pieces)))
    gzip.on('error', reject)
  })
  gzip.end(bytes)
  return whole
}
