import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { bodyOf, type Context, type Format, render } from './formats.ts'
import type { Selection } from './selection.ts'

const gzipInThread = promisify(gzip)
/** Positions hardly repeat: a higher level costs time and saves nothing. */
const GZIP_LEVEL = constants.Z_BEST_SPEED
/** Compressing this many bytes takes a millisecond, less than a thread takes to start on it. */
const INLINE_BYTES_MAX = 163_840

/** The body of a response; a Blob is shared by many responses without a copy for each. */
export type Body = { plain: Uint8Array<ArrayBuffer>; blob: Blob; gzipped?: Promise<Blob> }

export function buildBody(format: Format, selection: Selection, context: Context): Body {
  const plain = new TextEncoder().encode(bodyOf(format, render(format, selection, context)))
  return { plain, blob: new Blob([plain]) }
}

/** Compresses small responses inline and large ones in a thread of the pool. */
export const compressed = async (plain: Uint8Array<ArrayBuffer>): Promise<Blob> =>
  new Blob([
    plain.length <= INLINE_BYTES_MAX
      ? Bun.gzipSync(plain, { level: 1, library: 'libdeflate' })
      : new Uint8Array(await gzipInThread(plain, { level: GZIP_LEVEL })),
  ])
