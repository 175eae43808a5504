import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { remembered } from './remembered.ts'

type Bytes = Uint8Array<ArrayBuffer>
/** In the order of preference where a client weighs them equally. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** 1.7 MB of script become 392 kB in 0.14 s of another thread; level 11 saves 8 % more and takes 3.4 s (measured). */
const BROTLI_QUALITY = 9
const GZIP_LEVEL = 9
const PARAMETER = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

const brotlied = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** Compressed in another thread. */
export async function compress(bytes: Bytes, encoding: Exclude<Encoding, 'identity'>): Promise<Bytes> {
  if (encoding === 'gzip') return new Uint8Array(await gzipped(bytes, { level: GZIP_LEVEL }))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  }
  return new Uint8Array(await brotlied(bytes, { params }))
}

/** The encodings that an `Accept-Encoding` allows, the best first (RFC 9110, 12.5.3); identity where it allows none of ours. */
export function acceptedEncodings(header: string | null): Encoding[] {
  if (header === null) return ['identity']
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.map((piece) => PARAMETER.exec(piece)?.[1]).find((found) => found !== undefined)
    if (name !== '') weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  const others = weights.get('*')
  const weightOf = (encoding: Encoding): number => {
    const given = weights.get(encoding) ?? (encoding === 'gzip' ? weights.get('x-gzip') : undefined) ?? others
    // Identity may be sent unless it is refused, and comes after what the client lists.
    return given ?? (encoding === 'identity' ? Number.MIN_VALUE : 0)
  }
  const accepted = ENCODINGS.filter((encoding) => weightOf(encoding) > 0).sort(
    (one, other) => weightOf(other) - weightOf(one),
  )
  return accepted.length > 0 ? accepted : ['identity']
}

/** The best encoding that an `Accept-Encoding` allows. */
export const bestEncoding = remembered((header): Encoding => acceptedEncodings(header)[0] ?? 'identity')
