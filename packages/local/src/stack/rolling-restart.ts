import { identify } from '@palanquin/embedded/process'
import type { Home } from '../home.ts'
import { LauncherError } from '../launcher-error.ts'
import { readRunFile } from '../run-file.ts'
import { GATEWAY } from './environment.ts'

/** A drain lasts up to nine seconds, and a start some more on a busy machine. */
const BACK_MS_MAX = 60_000
const ASK_TIMEOUT_MS = 2_000
const POLL_MS = 50

/**
 * Restarts processes of a home that runs, one after another, each only when the one before is ready again: with several
 * copies of each (COPIES) no client sees it. Without names: every copy of every service, but not the gateway, of which
 * there is one. `tell` hears of each that is back. @throws LauncherError when one does not come back
 */
export async function rollingRestart(
  home: Home,
  { names, tell }: { names?: readonly string[]; tell: (line: string) => void },
): Promise<void> {
  const running = readRunFile(home)
  if (!running) throw new LauncherError(`Nothing runs in ${home.folder}: ./palanquin up starts it.`, 3)
  const chosen = names ?? Object.keys(running.services).filter((name) => name !== GATEWAY)
  for (const name of chosen) {
    const service = readRunFile(home)?.services[name]
    if (!service)
      throw new LauncherError(
        `There is no ${name} here; there are ${Object.keys(running.services).join(', ')}.`,
        2,
      )
    const startedMs = performance.now()
    if (identify(service.pid)) process.kill(service.pid, 'SIGTERM')
    await untilBack(home, name, service.pid)
    tell(`${name} is back after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  }
}

async function untilBack(home: Home, name: string, oldPid: number): Promise<void> {
  const deadline = performance.now() + BACK_MS_MAX
  while (performance.now() < deadline) {
    const service = readRunFile(home)?.services[name]
    if (service && service.pid !== oldPid && (await isReady(service.metricsUrl))) return
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(`${name} is not back after ${BACK_MS_MAX / 1000} s: see ./palanquin logs ${name}.`)
}

async function isReady(metricsUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/ready', metricsUrl), { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
    return answer.ok
  } catch {
    return false // it does not listen yet
  }
}
