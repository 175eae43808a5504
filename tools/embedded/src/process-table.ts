import { readdirSync } from 'node:fs'
import { isCode, readIfThere } from './file.ts'

/** The process of a pid: its start time and command line (words separated and followed by one blank). */
export type ProcessIdentity = { pid: number; startedAt: string; command: string }

/**
 * The process with this pid, from the system's own table; undefined when there is none, or only its zombie.
 */
export function readProcess(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? readByProc(pid) : readByPs(['-p', `${pid}`])[0]
}

/** Every visible process. */
export function readProcesses(): ProcessIdentity[] {
  if (process.platform !== 'linux') return readByPs(['-ax'])
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readByProc(Number(name)) ?? []) : []))
}

/** With ps(1), as on macOS; its start time has a resolution of a second. */
export function readByPs(which: string[]): ProcessIdentity[] {
  const columns = ['-ww', '-o', 'pid=,stat=,lstart=,command=']
  const { stdout } = Bun.spawnSync(['ps', ...which, ...columns], { env: { ...process.env, LC_ALL: 'C' } })
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [, pid, state, startedAt, command] =
        /^ *(\d+) +(\S+) +(\w+ +\w+ +\d+ [\d:]+ \d+) (.*)$/.exec(line) ?? []
      if (!state || !startedAt || command === undefined || state.startsWith('Z')) return []
      return { pid: Number(pid), startedAt, command: `${command} ` }
    })
}

function readByProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readIfThere(`/proc/${pid}/stat`)
    const command = readIfThere(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')
    // proc_pid_stat(5): the name, in brackets, may itself hold spaces and brackets; then state is field 3,
    // start time 22
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (!fields || command === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
    return {
      pid,
      startedAt: `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim()}/${fields[19]}`,
      command,
    }
  } catch (error) {
    // it ended meanwhile, or is hidden from us
    if (['ESRCH', 'EACCES', 'EPERM'].some((code) => isCode(error, code))) return undefined
    throw error
  }
}
