import { dlopen, FFIType, ptr } from 'bun:ffi'
import { chmodSync, closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNoLoopMounts } from './mounts.ts'
import { mountSupervised, unmountSupervised } from './server-supervisor.ts'
import { until } from './until.ts'

/** Linux, `EXT4_IOC_SHUTDOWN` (`_IOR('X', 125, __u32)`). */
const EXT4_IOC_SHUTDOWN = 0x8004587dn
const NO_LOG_FLUSH = 2
const MEGABYTE = 1_048_576
const ENTERED_BY_ALL = 0o755

/** Why no power can be cut on this machine, as half a sentence; null where it can. */
export const whyNoPowerCut: string | null = whyNoLoopMounts()

/** The title of a test that needs it: where it cannot be had the test is skipped (`skipIf`). */
export const withPowerCut = (title: string): string =>
  whyNoPowerCut === null ? title : `${title} (skipped: ${whyNoPowerCut})`

/** A disk whose power can go: what was not synced by then is lost, as it is on a real machine. */
export type FragileDisk = {
  folder: string
  /** The power goes: at once nothing is written any more. */
  cut: () => Promise<void>
  /** The machine starts again: the disk is mounted with what was synced. */
  restore: () => Promise<void>
  /** Unmounts it for good. */
  close: () => Promise<void>
}

/** Rejects where `whyNoPowerCut` says so. */
export async function fragileDisk(megabytes: number): Promise<FragileDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-test-disk-'))
  const disk = { folder, bytes: megabytes * MEGABYTE, kind: 'ext4' } as const
  await mountForAll(disk)
  return {
    folder,
    cut: async () => {
      shutDown(folder)
      await until(() => killUsers(folder) === 0, { what: 'the end of all processes that use the disk' })
    },
    restore: async () => {
      await until(() => Bun.spawnSync(['umount', folder]).success, { what: 'the dead disk to be unmounted' })
      await mountForAll(disk)
    },
    close: async () => {
      killUsers(folder)
      await unmountSupervised(disk)
    },
  }
}

/** PostgreSQL runs under an account of its own where this runs as root. */
async function mountForAll(disk: Parameters<typeof mountSupervised>[0]): Promise<void> {
  chmodSync(disk.folder, ENTERED_BY_ALL)
  await mountSupervised(disk)
  chmodSync(disk.folder, ENTERED_BY_ALL)
}

function shutDown(folder: string): void {
  const libc = dlopen('libc.so.6', {
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
  })
  const descriptor = openSync(folder, 'r')
  try {
    const flag = new Uint32Array([NO_LOG_FLUSH])
    if (libc.symbols.ioctl(descriptor, EXT4_IOC_SHUTDOWN, ptr(flag)) !== 0)
      throw new Error(`The file system at ${folder} does not shut down.`)
  } finally {
    closeSync(descriptor)
    libc.close()
  }
}

/** Kills every process but this one that names the folder, or has something below it open. */
function killUsers(folder: string): number {
  const users = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && uses(Number(name), folder))
    .map(Number)
  for (const pid of users)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // it has ended meanwhile
    }
  return users.length
}

function uses(pid: number, folder: string): boolean {
  const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`)
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)) return true
    const links = ['cwd', ...readdirSync(`/proc/${pid}/fd`).map((name) => `fd/${name}`)]
    return links.some((link) => isBelow(linkOf(`/proc/${pid}/${link}`)))
  } catch {
    return false // it has ended, or is a zombie
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed meanwhile
  }
}
