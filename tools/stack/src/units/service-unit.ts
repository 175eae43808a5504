import { rmSync } from 'node:fs'
import { adopt, noteProcess, type ProcessRecord, stop } from '@palanquin/embedded/process'
import { readStartedAt } from '@palanquin/embedded/process-table'
import type { Home } from '../run-state/home.ts'
import type { Settings } from '../settings/settings.ts'
import { sizeOf } from './log-excerpt.ts'
import { untilSuccessorReady } from './readiness.ts'
import { type ServiceAddresses, spawnService, untilListening } from './service-process.ts'
import { GATEWAY } from './services.ts'
import type { Running, StartOptions, Unit } from './unit.ts'

/**
 * A service drains for at most 9 seconds (packages/service); after this it is killed, which loses nothing.
 */
const STOP_GRACE_MS = 10_000
/** It asks its clients for two seconds to reconnect, and then drains. */
const HANDOVER_MS_MAX = 13_000

export type RunningService = Running & { addresses: ServiceAddresses; record: ProcessRecord }

/** The variable that sets the port; a fixed one never changes, because clients know it. */
export type PortRule = { variable: 'PORT' | 'PUBLIC_PORT'; first: number; fixed: boolean }
const ANY_PORT: PortRule = { variable: 'PORT', first: 0, fixed: false }

/**
 * A service as a unit. A restart keeps the port, so that scrapers of its metrics need not look it up again;
 * when the port is taken meanwhile, the next try gets another.
 */
export function serviceUnit(
  home: Home,
  service: string,
  environment: () => Settings | Promise<Settings>,
  rule: PortRule = ANY_PORT,
): Unit & { running: () => RunningService | undefined } {
  let latest: RunningService | undefined
  let port = rule.first
  const begin = async ({ signal }: StartOptions, more: Settings = {}) => {
    const logStart = sizeOf(home.logFile(service))
    const all = { ...(await environment()), ...more, [rule.variable]: `${port}` }
    const record = await spawnService(home, service, all)
    try {
      const addresses = await untilListening(home, service, { record, logStart, signal })
      port = Number(new URL(addresses.url).port) || port
      const isAlive = () => readStartedAt(record.pid) === record.startedAt
      return { pid: record.pid, addresses, isAlive, stop: () => end(record), record }
    } catch (error) {
      await end(record)
      if (!rule.fixed) port = rule.first
      throw error
    }
  }
  /** Both processes listen on the port for a while, so that no connection is refused. */
  const handOver = async (options: StartOptions) => {
    const old = latest
    try {
      latest = await begin(options, { SHARE_PORT: 'successor' })
    } catch (error) {
      if (old) noteProcess(home.pidFile(service), old.record)
      throw error
    }
    await untilSuccessorReady(latest.addresses.metricsUrl, options.signal)
    if (old) await stop(old.record, { signal: 'SIGUSR2', graceMs: HANDOVER_MS_MAX })
    return latest
  }
  return {
    name: service,
    running: () => latest,
    start: async (options) => {
      await endService(home, service)
      latest = await begin(options)
      return latest
    },
    ...(service === GATEWAY ? { replace: handOver } : {}),
  }
}

/** Ends every process of a service of this home, by whichever launcher; false when none ran. */
export async function endService(home: Home, service: string): Promise<boolean> {
  let ended = false
  // There are two when a launcher was killed during a gateway's handover.
  for (;;) {
    const orphan = adopt(home.pidFile(service), home.marker(service))
    if (!orphan) break
    await end(orphan)
    ended = true
  }
  rmSync(home.readyFile(service), { force: true })
  return ended
}

const end = (record: ProcessRecord): Promise<void> =>
  stop(record, { signal: 'SIGTERM', graceMs: STOP_GRACE_MS })
