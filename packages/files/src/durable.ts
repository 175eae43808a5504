import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isCode } from './read.ts'

const DRAFT_NAME = /\.[0-9a-f]{12}\.draft$/

/** Replaces a file at once: a reader, a crash or a power cut sees the old content or the new, whole. */
export function writeAtomically(file: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = writeDraft(file, content, mode)
  try {
    renameDurably(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Writes and syncs a draft beside `file` that may take its name; its path. */
export function writeDraft(file: string, content: string | Uint8Array, mode = 0o600): string {
  makeFolder(dirname(file))
  const draft = `${file}.${randomBytes(6).toString('hex')}.draft`
  try {
    const descriptor = openSync(draft, 'wx', mode)
    try {
      writeAll(descriptor, content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    rmSync(draft, { force: true }) // a full disk leaves it empty, once for each try
    throw error
  }
  return draft
}

/** Removes the drafts that a crash left in a folder. No process may be writing there. */
export function sweepDrafts(folder: string): void {
  for (const name of readdirSync(folder))
    if (DRAFT_NAME.test(name)) rmSync(join(folder, name), { force: true })
}

/** Gives a file or folder, whose content is synced already, its name for good. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(resolve(to)))
}

/** Makes a folder and those above it that are missing; their names survive a power cut. */
export function makeFolder(folder: string, mode?: number): void {
  const first = mkdirSync(folder, { recursive: true, ...(mode === undefined ? {} : { mode }) })
  if (first === undefined) return
  const top = dirname(resolve(first))
  for (let path = resolve(folder); path !== top; path = dirname(path)) syncFolder(dirname(path))
}

/** Brings every file and folder below `folder`, and itself, to the disk. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else if (entry.isFile()) sync(path)
  }
  syncFolder(folder)
}

/** Brings the names in a folder to the disk. */
export function syncFolder(folder: string): void {
  try {
    sync(folder)
  } catch (error) {
    throwUnlessUnsupported(error)
  }
}

/** As `syncFolder`, without holding up the event loop. */
export async function syncFolderSoon(folder: string): Promise<void> {
  const descriptor = openSync(folder, 'r')
  try {
    await promisify(fsync)(descriptor)
  } catch (error) {
    throwUnlessUnsupported(error)
  } finally {
    closeSync(descriptor)
  }
}

/** Appends to a file (made with mode 600) and brings that to the disk. */
export function appendDurably(file: string, text: string): void {
  const descriptor = openSync(file, 'a', 0o600)
  try {
    writeAll(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  syncFolder(dirname(resolve(file)))
}

function writeAll(descriptor: number, content: string | Uint8Array): void {
  const bytes = Buffer.from(content)
  let written = 0
  while (written < bytes.length) written += writeSync(descriptor, bytes, written)
}

/** Some file systems (network shares) do not sync folders, and say so. */
function throwUnlessUnsupported(error: unknown): void {
  if (!['EINVAL', 'ENOTSUP', 'EISDIR'].some((code) => isCode(error, code))) throw error
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
