import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { identify } from '@palanquin/embedded/process'

/** A tmpfs of that size below that folder. */
export type Disk = { folder: string; bytes: number }

/** Each disk carries the pid of the warden that answers for it as the name of its device. */
const DEVICE = 'palanquin-test-disk-'
const MOUNTED = /^palanquin-test-disk-(\d+) (\S+) tmpfs /

/** Why this process cannot mount anything, as half a sentence; null when it can. Tried out of sight of everybody else. */
export function whyNoMounts(): string | null {
  if (process.platform !== 'linux') return 'a small disk is a tmpfs, which Linux alone has'
  if (process.getuid?.() !== 0) return 'a small disk needs a mount, and that needs root'
  if (!Bun.which('unshare') || !Bun.which('mount')) return 'there is no mount(8) or unshare(1) here'
  const tried = run(['unshare', '--mount', 'mount', '-t', 'tmpfs', '-o', 'size=64k', `${DEVICE}0`, tmpdir()])
  return tried === null ? null : 'a small disk needs a mount, and this container may not mount'
}

/** Mounts a disk for this process, the warden. @throws Error with what mount(8) says */
export function mountDisk({ folder, bytes }: Disk): void {
  mkdirSync(folder, { recursive: true })
  const options = `size=${bytes},mode=755`
  const problem = run(['mount', '-t', 'tmpfs', '-o', options, `${DEVICE}${process.pid}`, folder])
  if (problem !== null) throw new Error(`No small disk at ${folder}: ${problem}`)
}

/** Lets go of a disk, also while something on it is open, and removes its folder. @throws Error with what umount(8) says */
export function unmountDisk(folder: string): void {
  const isThere = mounted().some((disk) => disk.folder === folder)
  const problem = isThere ? run(['umount', '--lazy', folder]) : null
  if (problem !== null) throw new Error(`The disk at ${folder} stays: ${problem}`)
  rmSync(folder, { recursive: true, force: true })
}

/** Lets go of the disks of wardens that were killed. */
export function sweepDisks(): void {
  if (process.getuid?.() !== 0) return // nobody else has mounted any
  for (const { folder, warden } of mounted())
    if (!identify(warden)?.command.includes('warden-process')) unmountDisk(folder)
}

function mounted(): { folder: string; warden: number }[] {
  if (process.platform !== 'linux') return []
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, warden, folder] = MOUNTED.exec(line) ?? []
      return folder ? [{ folder, warden: Number(warden) }] : []
    })
}

/** Null when it went well, else what it said. */
function run(command: string[]): string | null {
  const { success, stderr } = Bun.spawnSync(command, { stdio: ['ignore', 'ignore', 'pipe'] })
  return success ? null : stderr.toString().trim()
}
