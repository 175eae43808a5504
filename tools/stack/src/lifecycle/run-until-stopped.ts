import { LauncherError } from '../launcher-error.ts'
import { type ProgressSink, step } from '../progress.ts'
import type { Home } from '../run-state/home.ts'
import type { RunFile } from '../run-state/run-file.ts'
import type { Settings } from '../settings/settings.ts'
import { bringUp } from './bring-up.ts'
import { acquireHome, releaseHome, type SupervisorProcess, supervisorOf } from './home-lock.ts'

export type RunOptions = {
  home: Home
  port: number
  settings: Settings
  /** Reads the settings again at a restart. */
  settingsNow?: () => Settings
  progress: ProgressSink
  log: (line: string) => void
  /** Called once `/ready` is 200. */
  ready: (run: RunFile) => void
}

/** Removing the home's folder stops the stack: nothing else could stop it then. */
const STILL_MINE_EVERY_MS = 1_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Starts a home, keeps it running until a signal, and stops it. Returns the supervisor where the home runs
 * already.
 * @throws LauncherError when it cannot be started; nothing is left running then
 */
export async function runUntilStopped({
  ready,
  ...options
}: RunOptions): Promise<SupervisorProcess | undefined> {
  const { home, progress, log } = options
  const stopped = new AbortController()
  const asked = Promise.withResolvers<void>()
  const overtaken = new LauncherError('Stopped before everything was up; nothing is left running.', 130)
  const stop = () => {
    stopped.abort(overtaken)
    asked.resolve()
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  const other = await acquireHome(home)
  if (other) return other
  const isMine = () => supervisorOf(home)?.pid === process.pid
  const ownershipCheck = setInterval(() => {
    if (isMine()) return
    log(`${home.folder} has another supervisor or is gone; stopping`)
    stop()
  }, STILL_MINE_EVERY_MS)
  try {
    const stack = await bringUp({ ...options, signal: stopped.signal }).catch((error: unknown) => {
      // Stores that are stopped meanwhile refuse connections.
      throw stopped.signal.aborted || !isMine() ? overtaken : error
    })
    ready(stack.run)
    await asked.promise
    const problems = await step(progress, 'Stopping', () => stack.stop())
    for (const problem of problems) log(problem.message)
    if (problems.length > 0) throw new LauncherError('Not everything could be stopped; see above.')
  } finally {
    clearInterval(ownershipCheck)
    releaseHome(home)
  }
  return undefined
}
