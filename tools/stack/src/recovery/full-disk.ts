import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'

/** Error messages of the kernel and of quotas. */
const FULL = /no space left|ENOSPC|EDQUOT|quota exceeded/i
const MEGABYTE = 1_048_576
/**
 * PostgreSQL writes 40 MB at its first start; with less space it may die without mentioning the disk (a bus
 * error).
 */
const FIRST_START_MEGABYTES = 100
const OF_POSTGRES = /^PostgreSQL (?:cannot|does not)/

/**
 * Runs `work`; a failure because the home's disk is full becomes an error that says so.
 * @throws LauncherError, or what `work` throws
 */
export async function explainFullDisk<T>(home: Home, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fullDisk(error, home.folder) ?? error
  }
}

function fullDisk(error: unknown, folder: string): LauncherError | undefined {
  const message = error instanceof Error ? error.message : String(error)
  const freeMegabytes = Math.floor(freeBytesOf(folder) / MEGABYTE)
  const isScarce = OF_POSTGRES.test(message) && freeMegabytes < FIRST_START_MEGABYTES
  if (!FULL.test(message) && !isScarce) return undefined
  return new LauncherError(
    `The disk of ${folder} is full: ${freeMegabytes} MB are free, and a first start needs ${FIRST_START_MEGABYTES}. Free some space, or choose a folder on another disk with --home DIR.`,
  )
}

/** Free space on the disk of a folder, which need not exist yet. */
function freeBytesOf(folder: string): number {
  if (!existsSync(folder)) return freeBytesOf(dirname(folder))
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
