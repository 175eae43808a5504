import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ConfigurationError } from '@palanquin/service/config'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ReadyMade } from '../prebuilt/asset.ts'

const Entry = Type.Object({
  file: Type.String(),
  path: Type.String(),
  type: Type.String(),
  bytes: Type.Integer(),
})
const manifest = Compile(Type.Array(Entry))

type Bytes = Uint8Array<ArrayBuffer>
export type BuildFile = { entry: Static<typeof Entry>; bytes: Bytes; readyMade: ReadyMade }

/**
 * The files of a build of `apps/web`, by the names of its manifest.
 * @throws ConfigurationError when one is missing or not whole, its compressed forms included
 */
export function readBuild(dist: string): Map<string, BuildFile> {
  const path = join(dist, 'manifest.json')
  if (!existsSync(path))
    throw new ConfigurationError(['the pages are not built: run `bun run build` in apps/web, or set WEB=off'])
  const files = new Map<string, BuildFile>()
  for (const entry of readManifest(path)) {
    const target = join(dist, entry.file)
    const bytes = readIfThere(target)
    if (bytes?.byteLength !== entry.bytes) throw notWhole(entry.file)
    const readyMade = {
      br: readyMadeOf(`${entry.file}.br`, dist, (packed) => brotliDecompressSync(packed).equals(bytes)),
      gzip: readyMadeOf(`${entry.file}.gz`, dist, (packed) => gunzipSync(packed).equals(bytes)),
    }
    files.set(entry.file, { entry, bytes, readyMade })
  }
  return files
}

function readManifest(path: string): Static<typeof Entry>[] {
  const unreadable = new ConfigurationError([
    'the manifest of the pages cannot be read: build apps/web again',
  ])
  let entries: unknown
  try {
    entries = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable
    throw error
  }
  if (!manifest.Check(entries)) throw unreadable
  return entries
}

/** A compressed form is served as it is, so it must hold the same bytes as the plain file. */
function readyMadeOf(file: string, dist: string, isSame: (packed: Bytes) => boolean): Bytes {
  const packed = readIfThere(join(dist, file))
  if (packed === undefined) throw notWhole(file)
  let same: boolean
  try {
    same = isSame(packed)
  } catch {
    throw notWhole(file) // zlib has no error class of its own
  }
  if (!same) throw notWhole(file)
  return packed
}

const readIfThere = (path: string): Bytes | undefined =>
  existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined

const notWhole = (file: string): ConfigurationError =>
  new ConfigurationError([`${file} of the pages is missing or not whole: build apps/web again`])
