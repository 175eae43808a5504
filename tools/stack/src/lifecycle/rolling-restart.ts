import { commandFor, notRunningMessage } from '../command-text.ts'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'
import { readRunFile } from '../run-state/run-file.ts'
import { isReady } from '../units/readiness.ts'
import { GATEWAY } from '../units/services.ts'
import { requestRestart } from './restart-requests.ts'

const BACK_MS_MAX = 60_000
const POLL_MS = 50

/**
 * Restarts the processes of a running home, one after another, each when the one before is ready, with the
 * current settings. The gateway passes its port on; with several copies (COPIES) of a service the others
 * serve meanwhile, so no client notices. Without names: every copy of every service, then the gateway. Each
 * is reported to `log` when it is back. @throws LauncherError when one does not come back
 */
export async function rollingRestart(
  home: Home,
  { names, log }: { names?: readonly string[]; log: (line: string) => void },
): Promise<void> {
  const running = readRunFile(home)
  if (!running) throw new LauncherError(notRunningMessage(home), 3)
  const known = Object.keys(running.services)
  for (const name of names ?? [...known.filter((each) => each !== GATEWAY), GATEWAY]) {
    if (!known.includes(name))
      throw new LauncherError(`There is no ${name} here; there are ${known.join(', ')}.`, 2)
    const startedMs = performance.now()
    await requestRestart(home, name)
    await untilReady(home, name)
    log(`${name} is back after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  }
}

async function untilReady(home: Home, name: string): Promise<void> {
  const deadline = performance.now() + BACK_MS_MAX
  while (performance.now() < deadline) {
    const service = readRunFile(home)?.services[name]
    if (service && (await isReady(service.metricsUrl))) return
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(
    `${name} is not ready after ${BACK_MS_MAX / 1000} s: see ${commandFor(home, `logs ${name}`)}.`,
  )
}
