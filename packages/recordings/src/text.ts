/** How much is decoded at a time. */
const CHUNK_BYTES = 65_536
const UTF_16_LE = [0xff, 0xfe]
const UTF_16_BE = [0xfe, 0xff]

const beginsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte)

/** Bytes in pieces that are small enough to be worked on one by one. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

/** The text of a file, piece by piece: UTF-8, or UTF-16 where a mark says so. */
export function* textOf(chunks: Iterable<Uint8Array>): Generator<string> {
  let decoder: TextDecoder | undefined
  let hasBegun = false
  const decode = (chunk?: Uint8Array): string => {
    decoder ??= new TextDecoder(encodingOf(chunk ?? new Uint8Array()))
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  }
  for (const chunk of chunks) {
    const text: string = hasBegun ? decode(chunk) : decode(chunk).trimStart()
    hasBegun ||= text !== ''
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

const encodingOf = (head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' => {
  if (beginsWith(head, UTF_16_LE)) return 'utf-16le'
  return beginsWith(head, UTF_16_BE) ? 'utf-16be' : 'utf-8'
}
