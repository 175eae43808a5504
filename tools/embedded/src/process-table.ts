import { readdirSync } from 'node:fs'
import { isCode, readIfThere } from './file.ts'

/** The process of a pid: its start time and command line (words separated and followed by one blank). */
export type ProcessIdentity = { pid: number; startedAt: string; command: string }

/** The process with this pid, from the system's own table. */
export function readProcess(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? readByProc(pid) : readByPs(['-p', `${pid}`])[0]
}

/** When the process with this pid was started: half the reading of `readProcess`. */
export function readStartedAt(pid: number): string | undefined {
  if (process.platform !== 'linux') return readProcess(pid)?.startedAt
  const fields = statOf(pid)
  return fields && !isOver(fields) ? startedAtOf(fields) : undefined
}

/** Every visible process. */
export function readProcesses(): ProcessIdentity[] {
  if (process.platform !== 'linux') return readByPs(['-ax'])
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readByProc(Number(name)) ?? []) : []))
}

/** The pids of a process and all its descendants; without /proc its own alone. */
export function processTreeOf(pid: number): number[] {
  if (process.platform !== 'linux') return [pid]
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name)) {
      const parent = Number(statOf(Number(name))?.[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    }
  const treeOf = (root: number): number[] => [root, ...(children.get(root) ?? []).flatMap(treeOf)]
  return treeOf(pid)
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

/** The fields of `/proc/<pid>/stat` from the third on (state, parent, …). */
export function statOf(pid: number): string[] | undefined {
  try {
    const stat = readIfThere(`/proc/${pid}/stat`)
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch (error) {
    if (isHidden(error)) return undefined
    throw error
  }
}

/** Errors of a process that ended meanwhile, or is hidden from us. */
const isHidden = (error: unknown): boolean => ['ESRCH', 'EACCES', 'EPERM'].some((code) => isCode(error, code))

let knownBootId: string | undefined
/** Of this boot, read once: the supervisor looks at ten processes ten times a second. */
const bootId = (): string => (knownBootId ??= `${readIfThere('/proc/sys/kernel/random/boot_id')?.trim()}`)

/** A zombie, or dead. */
const isOver = ([state]: readonly string[]): boolean => state === 'Z' || state === 'X'
const startedAtOf = (fields: readonly string[]): string => `${bootId()}/${fields[19]}`

function readByProc(pid: number): ProcessIdentity | undefined {
  try {
    const fields = statOf(pid)
    const command = readIfThere(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')
    if (!fields || command === undefined || isOver(fields)) return undefined
    return { pid, startedAt: startedAtOf(fields), command }
  } catch (error) {
    if (isHidden(error)) return undefined
    throw error
  }
}
