import { isCode } from '@palanquin/embedded/file'
import { processTreeOf } from '@palanquin/embedded/process-table'
import type { Home } from '../run-state/home.ts'
import { storePid } from './throwaway-stack.ts'

/** Suspends processes for the time of `work`: they answer nothing, as on a machine that hangs. One that has ended meanwhile is left out. */
export async function whileSuspended<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  try {
    for (const pid of pids) signal(pid, 'SIGSTOP')
    return await work()
  } finally {
    for (const pid of pids.toReversed()) signal(pid, 'SIGCONT')
  }
}

/** The same with PostgreSQL of a home, and the backends that it has at the beginning. */
export const whilePostgresIsSuspended = <T>(home: Home, work: () => Promise<T>): Promise<T> =>
  whileSuspended(processTreeOf(storePid(home, 'postgres')), work)

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error // a backend may end at any moment
  }
}
