import { Unzip, type UnzipFile, UnzipInflate } from 'fflate'
import { Unreadable } from './unreadable.ts'

/** A byte of a deflated file is at most some thousand of what was in it. */
const CHUNK_BYTES = 4_096
/** Pictures and styles lie beside the document of a KMZ. */
const ENTRIES_MAX = 1_000
const IS_KML = /\.kml$/i

/** The first KML in a KMZ as it is unpacked. @throws Unreadable for none, damage, or over `bytesMax` */
export function* documentOfKmz(bytes: Uint8Array, bytesMax: number): Generator<Uint8Array> {
  let document: UnzipFile | undefined
  let chunks: Uint8Array[] = []
  let [entries, size] = [0, 0]
  let problem: string | undefined
  let isWhole = false
  const unzip = new Unzip((file) => {
    entries++
    if (document || !IS_KML.test(file.name)) return
    document = file
    file.ondata = (error, chunk, final) => {
      if (error) problem = 'it is damaged or encrypted'
      else {
        chunks.push(chunk)
        size += chunk.length
        isWhole = final
      }
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < bytes.length && !isWhole && problem === undefined; at += CHUNK_BYTES) {
    try {
      unzip.push(bytes.subarray(at, at + CHUNK_BYTES), at + CHUNK_BYTES >= bytes.length)
    } catch {
      problem = 'it is damaged, or compressed in a way that no KMZ is'
    }
    if (entries > ENTRIES_MAX) problem = `it has more than ${ENTRIES_MAX.toLocaleString('en')} files in it`
    if (size > bytesMax)
      throw new Unreadable(
        'too_large',
        `Unpacked, this file is larger than ${Math.floor(bytesMax / 1_048_576)} MiB.`,
      )
    yield* chunks
    chunks = []
  }
  if (problem !== undefined) throw new Unreadable('damaged', `This ZIP file cannot be unpacked: ${problem}.`)
  if (!document)
    throw new Unreadable(
      'zip_without_kml',
      'This ZIP file has no KML in it. Please unpack it, and send the file that is inside.',
    )
  if (!isWhole) throw new Unreadable('damaged', 'This KMZ ends before its document does.')
}
