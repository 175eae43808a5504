import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolderSoon } from '@palanquin/files/durable'
import { isCode } from '@palanquin/files/read'

/** A folder that became empty is removed, perhaps just before a file is placed in it. */
const TRIES_MAX = 3

/** Writes a new file below the root and brings its bytes to the disk. */
export async function writeSynced(root: string, file: string, bytes: Uint8Array): Promise<void> {
  await makeFolders(root, file)
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** Gives a synced draft its name below the root: a crash or a power cut leaves the file that was there or this one, whole. */
export async function placeDurably(
  root: string,
  { draft, file }: { draft: string; file: string },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    await makeFolders(root, file)
    try {
      await rename(draft, file)
      break
    } catch (error) {
      if (tries === TRIES_MAX || !isCode(error, 'ENOENT')) throw error
    }
  }
  for (const folder of [...foldersAbove(root, file), root]) await syncFolderSoon(folder)
}

/** Removes files for good, and the folders that are empty then: one may be of a person. */
export async function removeDurably(root: string, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(file, { force: true })
  const changed = new Set<string>()
  for (const folder of new Set(files.map(dirname)))
    changed.add(folder !== root && (await removeIfEmpty(folder)) ? dirname(folder) : folder)
  for (const folder of changed) await orIfMissing(undefined, () => syncFolderSoon(folder))
}

/** Removes the files of a folder that nobody has changed for so long. */
export async function sweepOld(folder: string, ageMs: number): Promise<void> {
  for (const name of await orIfMissing([], () => readdir(folder))) {
    const file = join(folder, name)
    const found = await orIfMissing(null, () => stat(file))
    if (found && found.mtimeMs < Date.now() - ageMs) await rm(file, { force: true })
  }
}

/** What `work` returns, or `missing` where its file is not there. */
export async function orIfMissing<T, M>(missing: M, work: () => Promise<T>): Promise<T | M> {
  try {
    return await work()
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return missing
    throw error
  }
}

/** Makes the folders of a file below the root, and never the root itself: its disk may be away. */
async function makeFolders(root: string, file: string): Promise<void> {
  for (const folder of foldersAbove(root, file).toReversed())
    await mkdir(folder, 0o700).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error
    })
}

/** The folders from a file up to the root, without it. */
function foldersAbove(root: string, file: string): string[] {
  const folder = dirname(file)
  return folder === root ? [] : [folder, ...foldersAbove(root, folder)]
}

async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => isCode(error, code))) return isCode(error, 'ENOENT')
    throw error
  }
}
