import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readIfThere } from '../file.ts'
import { readProcess, readProcesses } from '../process-table.ts'

/** Where dpkg keeps its state and its locks: the front end's (apt) and its own. */
export const DPKG_FOLDER = '/var/lib/dpkg'
const LOCKS = ['lock-frontend', 'lock']
/** A program that changes packages, as it stands on its command line. */
const PROGRAMS = /^(?:apt|apt-get|aptitude|dpkg|unattended-upgr\w*)$/
const POLL_MS = 500
const WORDS_MAX = 60

/** `apt-get install nginx (process 123)`. */
export type PackageManager = string

/** The program that is changing this machine's packages: the holder of dpkg's lock. */
export function packageManagerAtWork(folder = DPKG_FOLDER): PackageManager | undefined {
  const pid = LOCKS.map((name) => holderOf(join(folder, name))).find((found) => found !== undefined)
  if (pid !== undefined) return nameOf(pid, readProcess(pid)?.command)
  const found = readProcesses().find(({ command }) => PROGRAMS.test(basename(command.split(' ')[0] ?? '')))
  return found && nameOf(found.pid, found.command)
}

/** Waits until no packages are being changed; returns the program that still does at the timeout. */
export async function untilPackagesRest(
  folder: string,
  {
    waitMsMax,
    onProgress,
    signal,
  }: { waitMsMax: number; onProgress(detail: string): void; signal?: AbortSignal | undefined },
): Promise<PackageManager | undefined> {
  const deadline = performance.now() + waitMsMax
  let reported: PackageManager | undefined
  for (;;) {
    signal?.throwIfAborted()
    const other = packageManagerAtWork(folder)
    if (other === undefined || performance.now() > deadline) return other
    if (other !== reported) onProgress(`waiting for ${other}, which is changing the packages of this machine`)
    reported = other
    await Bun.sleep(POLL_MS)
  }
}

/** proc_locks(5): `1: POSIX  ADVISORY  WRITE 123 fe:00:402117 0 EOF`, device in hex and inode. */
function holderOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return undefined
  for (const line of (readIfThere('/proc/locks') ?? '').split('\n')) {
    const [, kind, , , pid, place] = line.split(/ +/)
    const [major = '', minor = '', inode] = place?.split(':') ?? []
    if (kind !== 'POSIX' || Number(inode) !== found.ino) continue
    if (deviceOf(Number.parseInt(major, 16), Number.parseInt(minor, 16)) === found.dev) return Number(pid)
  }
  return undefined
}

/** makedev(3), for the numbers that disks have. */
const deviceOf = (major: number, minor: number): number =>
  (minor & 0xff) + major * 0x100 + (minor >>> 8) * 0x100000

function nameOf(pid: number, command = ''): PackageManager {
  const [program = '', ...words] = command.trim().split(' ')
  const name = [basename(program), ...words].join(' ').slice(0, WORDS_MAX) || 'another program'
  return `${name} (process ${pid})`
}
