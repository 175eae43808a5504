import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

const gzipInThread = promisify(gzip)
/** Positions hardly repeat: a higher level costs time and saves nothing. */
const GZIP_LEVEL = constants.Z_BEST_SPEED
/** Compressing this many bytes takes a millisecond, less than a thread takes to start on it. */
const INLINE_BYTES_MAX = 163_840

export type Bytes = Uint8Array<ArrayBuffer>

/** Compresses small responses inline and large ones in a thread of the pool. */
export const compressed = async (plain: Bytes): Promise<Blob> =>
  new Blob([
    plain.length <= INLINE_BYTES_MAX
      ? Bun.gzipSync(plain, { level: 1, library: 'libdeflate' })
      : new Uint8Array(await gzipInThread(plain, { level: GZIP_LEVEL })),
  ])
