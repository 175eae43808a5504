import { commandFor } from './advice.ts'
import { type Holder, holderOf } from './claim.ts'
import { untilReady } from './gateway-door.ts'
import type { Home } from './home.ts'
import { LauncherError } from './launcher-error.ts'
import { type RunFile, readRunFile } from './run-file.ts'

/** Another launcher's first start may be fetching its stores. */
const WAIT_MS_MAX = 180_000
const POLL_MS = 100

/** Waits until the home that another process brings up is ready. @throws LauncherError when that comes to nothing */
export async function awaitRunning(home: Home, other: Holder): Promise<RunFile> {
  const signal = AbortSignal.timeout(WAIT_MS_MAX)
  while (!signal.aborted) {
    const run = readRunFile(home)
    if (run) {
      await untilReady(run, { detail: () => {}, signal })
      return run
    }
    if (!holderOf(home))
      throw new LauncherError(`Process ${other.pid} was bringing it up and gave up: try again.`)
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(
    `Process ${other.pid} has been bringing it up for ${WAIT_MS_MAX / 1000} s: see ${commandFor(home, 'logs')}.`,
  )
}
