import { commandFor } from '../command-text.ts'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'
import { type RunFile, readRunFile } from '../run-state/run-file.ts'
import { untilReady } from '../units/readiness.ts'
import { type SupervisorProcess, supervisorOf } from './home-lock.ts'

/** Another launcher's first start may be downloading its stores. */
const WAIT_MS_MAX = 180_000
const POLL_MS = 100

/**
 * Waits until the home that another process is starting is ready. @throws LauncherError when it does not
 * become ready
 */
export async function awaitRunning(home: Home, other: SupervisorProcess): Promise<RunFile> {
  const signal = AbortSignal.timeout(WAIT_MS_MAX)
  while (!signal.aborted) {
    const run = readRunFile(home)
    if (run) {
      await untilReady(run, { detail: () => {}, signal })
      return run
    }
    if (!supervisorOf(home))
      throw new LauncherError(`Process ${other.pid} was starting this home and failed: try again.`)
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(
    `Process ${other.pid} has been starting this home for ${WAIT_MS_MAX / 1000} s: see ${commandFor(home, 'logs')}.`,
  )
}
