import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { identify } from '@palanquin/embedded/process'

/** A disk of that size below that folder: a tmpfs, or an ext4 in a file. */
export type Disk = { folder: string; bytes: number; kind?: 'tmpfs' | 'ext4' }

/** Each disk carries the pid of the supervisor that answers for it as the name of its device. */
const DEVICE = 'palanquin-test-disk-'
const MOUNTED = /^palanquin-test-disk-(\d+) (\S+) tmpfs /
/** The file of an ext4 carries the pid of the supervisor as well. */
const IMAGE = /^palanquin-test-disk-(\d+)-.*\.ext4$/
const LOOP_MOUNTED = /^\/dev\/(loop\d+) (\S+) ext4 /

/** Why this process cannot mount anything, as half a sentence; null when it can. */
export function whyNoMounts(): string | null {
  if (process.platform !== 'linux') return 'a small disk is a tmpfs, which Linux alone has'
  if (process.getuid?.() !== 0) return 'a small disk needs a mount, and that needs root'
  if (!Bun.which('unshare') || !Bun.which('mount')) return 'there is no mount(8) or unshare(1) here'
  const tried = run(['unshare', '--mount', 'mount', '-t', 'tmpfs', '-o', 'size=64k', `${DEVICE}0`, tmpdir()])
  return tried === null ? null : 'a small disk needs a mount, and this container may not mount'
}

/** Why this process cannot mount an ext4 from a file, as half a sentence; null when it can. */
export function whyNoLoopMounts(): string | null {
  const why = whyNoMounts()
  if (why !== null) return why
  if (!Bun.which('mkfs.ext4')) return 'there is no mkfs.ext4 (e2fsprogs) here'
  const folder = mkdtempSync(join(tmpdir(), `${DEVICE}probe-`))
  try {
    const image = join(folder, 'image')
    makeImage(image, PROBE_BYTES)
    const tried = run(['unshare', '--mount', 'mount', '-o', 'loop', image, folder])
    return tried === null ? null : 'this machine has no loop devices to mount a file by'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const PROBE_BYTES = 4 * 1_048_576

function makeImage(image: string, bytes: number): void {
  writeFileSync(image, '', { mode: 0o600 })
  truncateSync(image, bytes)
  const problem = run(['mkfs.ext4', '-q', '-F', image])
  if (problem !== null) throw new Error(`No file system in ${image}: ${problem}`)
}

const imageOf = (folder: string): string => join(tmpdir(), `${DEVICE}${process.pid}-${basename(folder)}.ext4`)

/** Mounts a disk for this process, the supervisor; an ext4 that was mounted before as it was. */
export function mountDisk({ folder, bytes, kind = 'tmpfs' }: Disk): void {
  mkdirSync(folder, { recursive: true })
  if (kind === 'ext4') {
    const image = imageOf(folder)
    if (!existsSync(image)) makeImage(image, bytes)
    const problem = run(['mount', '-o', 'loop', image, folder])
    if (problem !== null) throw new Error(`No disk at ${folder}: ${problem}`)
    return
  }
  const options = `size=${bytes},mode=755`
  const problem = run(['mount', '-t', 'tmpfs', '-o', options, `${DEVICE}${process.pid}`, folder])
  if (problem !== null) throw new Error(`No small disk at ${folder}: ${problem}`)
}

/** Lets go of a disk, also while something on it is open, and removes its folder. */
export function unmountDisk(folder: string): void {
  const isThere = mounted().some((disk) => disk.folder === folder)
  const problem = isThere ? run(['umount', '--lazy', folder]) : null
  if (problem !== null) throw new Error(`The disk at ${folder} stays: ${problem}`)
  rmSync(folder, { recursive: true, force: true })
  rmSync(imageOf(folder), { force: true })
}

/** Lets go of the disks of supervisors that were killed. */
export function sweepDisks(): void {
  if (process.getuid?.() !== 0) return // no other user can have mounted any
  for (const { folder, serverSupervisor } of mounted()) if (isGone(serverSupervisor)) unmountDisk(folder)
  for (const name of readdirSync(tmpdir())) {
    const [, serverSupervisor] = IMAGE.exec(name) ?? []
    if (serverSupervisor !== undefined && isGone(Number(serverSupervisor)))
      rmSync(join(tmpdir(), name), { force: true })
  }
}

const isGone = (serverSupervisor: number): boolean =>
  !identify(serverSupervisor)?.command.includes('server-supervisor-process')

function mounted(): { folder: string; serverSupervisor: number }[] {
  if (process.platform !== 'linux') return []
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, serverSupervisor, folder] = MOUNTED.exec(line) ?? loopMounted(line)
      return folder ? [{ folder, serverSupervisor: Number(serverSupervisor) }] : []
    })
}

/** Like a match of `MOUNTED`. */
function loopMounted(line: string): readonly (string | undefined)[] {
  const [, device, folder] = LOOP_MOUNTED.exec(line) ?? []
  if (device === undefined) return []
  const image = readFileSync(`/sys/block/${device}/loop/backing_file`, 'utf8').trim()
  const [, serverSupervisor] = IMAGE.exec(basename(image)) ?? []
  return serverSupervisor === undefined ? [] : [line, serverSupervisor, folder]
}

/** Null when it went well, else what it said. */
function run(command: string[]): string | null {
  const { success, stderr } = Bun.spawnSync(command, { stdio: ['ignore', 'ignore', 'pipe'] })
  return success ? null : stderr.toString().trim()
}
