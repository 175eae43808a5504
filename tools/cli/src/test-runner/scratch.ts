import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCode } from '@palanquin/embedded/file'
import { availableBytes } from './machine-load.ts'

const GIB = 2 ** 30
const SHARED_MEMORY = '/dev/shm'
/** What the stores of all tests hold at most, with room to spare. */
const WANTED_BYTES = 4 * GIB
/** Files in memory are taken from this; below it, services and browsers would lack it. */
const FREE_MEMORY_BYTES = 8 * GIB

type Machine = { folder: string; freeBytes: (folder: string) => number; availableBytes: () => number }
const THIS_MACHINE: Machine = { folder: SHARED_MEMORY, freeBytes, availableBytes }

/**
 * The folder in which tests make theirs: memory where there is enough, otherwise the system's temporary folder. Tests
 * make and remove some 100,000 files, and on ext4 the search for a free inode behind all that were just removed takes
 * a sixth of all processor time.
 */
export function scratchParent(machine: Machine = THIS_MACHINE): string {
  const { folder } = machine
  return machine.freeBytes(folder) >= WANTED_BYTES && machine.availableBytes() >= FREE_MEMORY_BYTES
    ? folder
    : tmpdir()
}

/**
 * Makes a folder for everything that this process and its children keep in temporary files, and lets TMPDIR name it.
 * @returns what removes it again
 */
export function useScratch(parent = scratchParent()): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(parent, 'palanquin-test-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  return {
    folder,
    remove: () => {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Free bytes of the file system of a folder; 0 where it is absent or not ours to write. */
function freeBytes(folder: string): number {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'EACCES')) return 0
    throw error
  }
}
