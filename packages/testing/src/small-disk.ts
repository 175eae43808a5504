import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNoMounts } from './mounts.ts'
import { mountSupervised, unmountSupervised } from './server-supervisor.ts'

/** A disk of its own for a test, which may run full. */
export type SmallDisk = {
  folder: string
  /** The path of a folder on it that does not exist yet, for a server. */
  subfolder: (name: string) => string
  freeBytes: () => number
  /** Leaves no byte free, or so many; what is on it already may still be written over. */
  fill: (options?: { leavingBytes: number }) => void
  /** Takes away what `fill` has put there. */
  freeSpace: () => void
  /** Unmounts it, also while it is in use. */
  close: () => Promise<void>
}

const MEGABYTE = 1_048_576
const FILLER = 'filler'
/** What is written at a time: large first, and the last pages one by one. */
const FILLER_BYTES = [MEGABYTE, 4_096, 1]

/** Why there can be no small disk on this machine, as half a sentence; null where there can. */
export const whyNoSmallDisk: string | null = whyNoMounts()

/** The title of a test that needs one. */
export const onSmallDisk = (title: string): string =>
  whyNoSmallDisk === null ? title : `${title} (skipped: ${whyNoSmallDisk})`

/** A tmpfs of so many megabytes. */
export async function smallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-test-disk-'))
  await mountSupervised({ folder, bytes: megabytes * MEGABYTE })
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    folder,
    subfolder: (name) => {
      const path = join(folder, name)
      mkdirSync(path, { mode: 0o755 })
      return path
    },
    freeBytes,
    fill: ({ leavingBytes } = { leavingBytes: 0 }) => {
      const filler = join(folder, FILLER)
      fillUp(filler)
      truncateSync(filler, statSync(filler).size - leavingBytes)
    },
    freeSpace: () => rmSync(join(folder, FILLER), { force: true }),
    close: () => unmountSupervised({ folder, bytes: megabytes * MEGABYTE }),
  }
}

function fillUp(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (const bytes of FILLER_BYTES) while (isWritten(file, Buffer.alloc(bytes, 'x')));
  } finally {
    closeSync(file)
  }
}

/** Whether the disk took all of it. */
function isWritten(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
