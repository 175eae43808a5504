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
  const ended = new AbortController()
  const watch = setInterval(() => {
    if (!supervisorOf(home))
      ended.abort(new LauncherError(`Process ${other.pid}, which ran this home, has ended: try again.`))
  }, POLL_MS)
  const timeout = AbortSignal.timeout(WAIT_MS_MAX)
  try {
    for (; !timeout.aborted; await Bun.sleep(POLL_MS)) {
      ended.signal.throwIfAborted()
      const run = readRunFile(home)
      if (!run) continue
      await untilReady(run, { detail: () => {}, signal: ended.signal })
      return run
    }
  } finally {
    clearInterval(watch)
  }
  throw new LauncherError(
    `Process ${other.pid} has been starting this home for ${WAIT_MS_MAX / 1000} s: see ${commandFor(home, 'logs')}.`,
  )
}
