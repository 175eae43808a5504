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

/** A PNG without anything but its pixels: no resolution, text or profile, whatever the encoder added. */
export function bareChunks(png: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept = chunksOf(png).filter(({ type }) => PIXEL_CHUNKS.has(type))
  const parts = [png.subarray(0, SIGNATURE_BYTES), ...kept.map(({ start, end }) => png.subarray(start, end))]
  return new Uint8Array(Buffer.concat(parts))
}
