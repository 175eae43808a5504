import { rmSync } from 'node:fs'
import { withLock } from '@palanquin/embedded/lock'
import { identify } from '@palanquin/embedded/process'
import { writeAtomically } from '@palanquin/files/durable'
import { readJsonIfThere } from '@palanquin/files/read'
import { type Home, removeSocketFolder } from '../run-state/home.ts'

/**
 * The process that keeps a home running. The start time distinguishes it from a later process with the same
 * pid.
 */
export type SupervisorProcess = { pid: number; startedAt: string }

/** The supervisor of this home; undefined when it is gone, whatever it left running. */
export function supervisorOf(home: Home): SupervisorProcess | undefined {
  const noted = readJsonIfThere(home.supervisorFile)
  return isSupervisorProcess(noted) && identify(noted.pid)?.startedAt === noted.startedAt ? noted : undefined
}

/** Makes this process the supervisor of the home; returns the other one where there is one already. */
export function acquireHome(home: Home): Promise<SupervisorProcess | undefined> {
  return withLock(home.lockFile, async () => {
    const other = supervisorOf(home)
    if (other) return other
    const self = { pid: process.pid, startedAt: identify(process.pid)?.startedAt ?? '' }
    writeAtomically(home.supervisorFile, `${JSON.stringify(self)}\n`)
    return undefined
  })
}

/** Removes what `acquireHome` and a running stack wrote, unless another process owns the home by now. */
export function releaseHome(home: Home): void {
  const holder = supervisorOf(home)
  if (holder && holder.pid !== process.pid) return
  removeSocketFolder(home)
  rmSync(home.runFile, { force: true })
  rmSync(home.supervisorFile, { force: true })
}

const isSupervisorProcess = (value: unknown): value is SupervisorProcess =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'startedAt' in value &&
  typeof value.startedAt === 'string'
