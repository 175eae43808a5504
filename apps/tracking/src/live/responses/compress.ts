import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

const deflate = promisify(gzip)
/** Positions hardly repeat: a higher level costs time and saves nothing. */
const GZIP_LEVEL = constants.Z_BEST_SPEED
/** Up to this it takes a millisecond. */
const AT_ONCE_BYTES_MAX = 163_840

export type Bytes = Uint8Array<ArrayBuffer>

/** A small answer at once, in less time than another thread takes to begin; a large one beside everything else. */
export const compressed = async (plain: Bytes): Promise<Blob> =>
  new Blob([
    plain.length <= AT_ONCE_BYTES_MAX
      ? Bun.gzipSync(plain, { level: 1, library: 'libdeflate' })
      : new Uint8Array(await deflate(plain, { level: GZIP_LEVEL })),
  ])
