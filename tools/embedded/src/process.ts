import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomically } from '@palanquin/files/durable'
import { isCode, readJsonIfThere } from '@palanquin/files/read'
import { type ProcessIdentity, readProcess, readProcesses } from './process-table.ts'

const POLL_MS = 20
const EXEC_WAIT_MS_MAX = 1_000
const KILL_WAIT_MS_MAX = 10_000 // a process that outlives SIGKILL this long is stuck in the kernel

/** The identity of a process: pids are reused, so `startedAt` and the command must match too. */
export type ProcessRecord = {
  pid: number
  startedAt: string
  /** Words that only this server's command line contains, `postgres -D <its data>`. */
  marker: string
  port: number
  /** Hash of everything it was started with: an orphan with other settings is not reused. */
  fingerprint: string
}
export type Launch = {
  command: string[]
  env?: Record<string, string>
  uid?: number | undefined
  gid?: number | undefined
}

/** Starts a server in its own session, so that Ctrl-C in the launcher's terminal does not reach it. */
export function spawnServer(
  launch: Launch & Omit<ProcessRecord, 'pid' | 'startedAt'> & { pidFile: string; logFile: string },
): ProcessRecord {
  mkdirSync(dirname(launch.logFile), { recursive: true })
  const log = openSync(launch.logFile, 'a', 0o600)
  try {
    const child = Bun.spawn(launch.command, {
      detached: true,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', ...launch.env },
      stdio: ['ignore', log, log],
      ...(launch.uid === undefined ? {} : { uid: launch.uid }),
      ...(launch.gid === undefined ? {} : { gid: launch.gid }),
    })
    child.unref()
    const startedAt = identifyStarted(child.pid, launch.marker)?.startedAt ?? 'gone'
    const record = {
      pid: child.pid,
      startedAt,
      marker: launch.marker,
      port: launch.port,
      fingerprint: launch.fingerprint,
    }
    noteProcess(launch.pidFile, record)
    return record
  } finally {
    closeSync(log)
  }
}

/** The identity of a process that was just started. */
function identifyStarted(pid: number, marker: string): ProcessIdentity | undefined {
  const deadline = performance.now() + EXEC_WAIT_MS_MAX
  for (;;) {
    const found = identify(pid)
    if (!found || carries(found.command, marker) || performance.now() > deadline) return found
    Bun.sleepSync(1)
  }
}

/** Records the identity of a server, for `adopt`. */
export const noteProcess = (pidFile: string, record: ProcessRecord): void =>
  writeAtomically(pidFile, `${JSON.stringify(record)}\n`)

/**
 * The server that a launcher left running: by the pid file if the process matches, else by the marker on its
 * command line (the launcher died before it could record the pid). Undefined when there is none.
 */
export function adopt(pidFile: string, marker: string): ProcessRecord | undefined {
  const noted = readJsonIfThere(pidFile)
  if (isRecord(noted) && noted.marker === marker && isAlive(noted)) return noted
  const orphan = readProcesses().find(({ pid, command }) => pid !== process.pid && carries(command, marker))
  return orphan && { pid: orphan.pid, startedAt: orphan.startedAt, marker, port: 0, fingerprint: '' }
}

/** Whether that very process still runs (a zombie does not). */
export function isAlive(record: ProcessRecord): boolean {
  const now = identify(record.pid)
  return (
    now !== undefined &&
    now.startedAt === record.startedAt &&
    (now.command === '' || carries(now.command, record.marker))
  )
}

/** Ends a server and waits until it is gone. */
export async function stop(
  record: ProcessRecord,
  { signal, graceMs }: { signal: NodeJS.Signals; graceMs: number },
): Promise<void> {
  send(record, signal)
  send(record, 'SIGCONT') // a suspended server (Ctrl-Z, a debugger) receives the signal only then
  if (await gone(record, graceMs)) return
  send(record, 'SIGKILL')
  if (!(await gone(record, KILL_WAIT_MS_MAX)))
    throw new Error(`Process ${record.pid} (${record.marker}) cannot be ended.`)
}

/** The process of a pid now; undefined when there is none, or only its zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  return readProcess(pid)
}

function carries(command: string, marker: string): boolean {
  return command.includes(`${marker} `)
}

function send(record: ProcessRecord, signal: NodeJS.Signals): void {
  if (!isAlive(record)) return
  try {
    process.kill(record.pid, signal)
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error
  }
}

async function gone(record: ProcessRecord, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (isAlive(record)) {
    if (Date.now() > deadline) return false
    await Bun.sleep(POLL_MS)
  }
  return true
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== 'object' || value === null) return false
  const { pid, startedAt, marker, port, fingerprint } = value as Partial<ProcessRecord>
  return (
    typeof pid === 'number' &&
    typeof port === 'number' &&
    [startedAt, marker, fingerprint].every((text) => typeof text === 'string')
  )
}
