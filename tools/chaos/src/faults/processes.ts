import { isCode, readIfThere } from '@palanquin/embedded/file'
import { identify } from '@palanquin/embedded/process'
import { processTreeOf as descendantsOf } from '@palanquin/embedded/process-table'
import type { Home } from '@palanquin/stack/run-state/home'

/** A signal's target: this very process, not a later one with its pid. */
export type RunningProcess = { pid: number; startedAt: string }

/** The running process of that name in a home; undefined while it is down. */
export function processOf(home: Home, name: string): RunningProcess | undefined {
  const noted: unknown = JSON.parse(readIfThere(home.pidFile(name)) ?? 'null')
  if (typeof noted !== 'object' || noted === null || !('pid' in noted)) return undefined
  return runningProcess(Number(noted.pid))
}

/** A process and its children: PostgreSQL serves each connection by a child. */
export function processTreeOf({ pid }: RunningProcess): RunningProcess[] {
  return descendantsOf(pid).flatMap((member) => runningProcess(member) ?? [])
}

/** Sends a signal unless the process is gone. */
export function signal({ pid, startedAt }: RunningProcess, name: NodeJS.Signals): void {
  if (identify(pid)?.startedAt !== startedAt) return
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error
  }
}

function runningProcess(pid: number): RunningProcess | undefined {
  const startedAt = identify(pid)?.startedAt
  return startedAt === undefined ? undefined : { pid, startedAt }
}
