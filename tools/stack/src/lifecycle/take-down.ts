import { stop } from '@palanquin/embedded/process'
import { stopStores } from '@palanquin/embedded/stack'
import { MAIN_FILE } from '../project.ts'
import type { Home } from '../run-state/home.ts'
import { processNames } from '../units/copies.ts'
import { LINE_STUB } from '../units/entries.ts'
import { endService } from '../units/service-unit.ts'
import { GATEWAY } from '../units/services.ts'
import { releaseHome, supervisorOf } from './home-lock.ts'

/**
 * The gateway, the services and the stores each have their own grace period; together they stay below this.
 */
const STOP_GRACE_MS = 60_000

/**
 * Stops a home: through its supervisor or, where that was killed, process by process. Returns the names of
 * what was stopped.
 */
export async function takeDown(home: Home): Promise<string[]> {
  const holder = supervisorOf(home)
  if (holder)
    await stop(
      { ...holder, marker: MAIN_FILE, port: 0, fingerprint: '' },
      { signal: 'SIGTERM', graceMs: STOP_GRACE_MS },
    )
  const ended: string[] = holder ? ['supervisor'] : []
  const services = processNames(home).filter((name) => name !== GATEWAY)
  for (const stage of [[GATEWAY], services, [LINE_STUB]])
    await Promise.all(
      stage.map(async (service) => {
        if (await endService(home, service)) ended.push(service)
      }),
    )
  ended.push(...(await stopStores({ home: home.folder })))
  releaseHome(home)
  return ended
}
