import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Objects } from '@palanquin/objects/objects'
import { LauncherError } from '@palanquin/stack/launcher-error'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { FILE_MODE, FOLDER_MODE, readLines, type Written, writeLines } from './lines.ts'

/** Of an earlier version, which had every object in an S3. */
const FOLDER = 's3'
export const OBJECTS_FILE = `${FOLDER}/objects.ndjson.gz`
const AT_ONCE = 8
/** How often progress is reported. */
const TELL_EVERY = 1_000
/** A backup waits longer for a busy store than a participant would. */
const PATIENT = { deadlineMs: 60_000 }

/**
 * An object as the index lists it: its body is a file named by its SHA-256, so equal bodies are stored once.
 */
const Saved = Type.Object({
  key: Type.String(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 0 }),
})
type Saved = Static<typeof Saved>

const bodyFile = (folder: string, sha256: string): string =>
  join(folder, FOLDER, 'bodies', sha256.slice(0, 2), sha256)

/** Writes the objects of these keys. */
export async function saveObjects(
  objects: Objects,
  folder: string,
  keys: readonly string[],
  moved: (done: number) => void,
): Promise<{ written: Written; bytes: number }> {
  let bytes = 0
  let done = 0
  const lines = async function* () {
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const found = await Promise.all(
        keys.slice(at, at + AT_ONCE).map((key) => saveOne(objects, folder, key)),
      )
      for (const saved of found) {
        if (++done % TELL_EVERY === 0) moved(done)
        if (!saved) continue
        bytes += saved.bytes
        yield JSON.stringify(saved)
      }
    }
  }
  const written = await writeLines(join(folder, OBJECTS_FILE), lines())
  return { written, bytes }
}

async function saveOne(objects: Objects, folder: string, key: string): Promise<Saved | undefined> {
  const body = await objects.get(key, PATIENT)
  if (!body) return undefined
  const sha256 = createHash('sha256').update(body).digest('hex')
  const file = bodyFile(folder, sha256)
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE })
  if (!existsSync(file)) writeFileSync(file, body, { mode: FILE_MODE })
  return { key, sha256, bytes: body.length }
}

/** Puts every object of a backup into the store, which is created if needed; idempotent. */
export async function loadObjects(
  objects: Objects,
  folder: string,
  moved: (done: number) => void,
): Promise<void> {
  await objects.make()
  let done = 0
  let under: Promise<unknown>[] = []
  for await (const line of readLines(join(folder, OBJECTS_FILE))) {
    under.push(loadOne(objects, folder, Value.Parse(Saved, JSON.parse(line))))
    if (under.length < AT_ONCE) continue
    await Promise.all(under)
    done += under.length
    if (done % TELL_EVERY === 0) moved(done)
    under = []
  }
  await Promise.all(under)
}

async function loadOne(objects: Objects, folder: string, { key, sha256 }: Saved): Promise<void> {
  const body = readFileSync(bodyFile(folder, sha256))
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    throw new LauncherError(`${bodyFile(folder, sha256)} is damaged: its SHA-256 is not its name.`)
  await objects.put(key, body, PATIENT)
}
