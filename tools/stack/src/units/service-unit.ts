import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  adopt,
  isAlive,
  noteProcess,
  type ProcessRecord,
  spawnServer,
  stop,
} from '@palanquin/embedded/process'
import { readJsonIfThere } from '@palanquin/files/read'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import type { Home } from '../run-state/home.ts'
import { environmentFor } from '../settings/service-variables.ts'
import type { Settings } from '../settings/settings.ts'
import { serviceOf } from './copies.ts'
import { logExcerpt, sizeOf } from './log-excerpt.ts'
import { bundleOf } from './service-bundle.ts'
import { GATEWAY } from './services.ts'
import type { Running, StartOptions, Unit } from './unit.ts'

/**
 * A service drains for at most 9 seconds (packages/service); after this it is killed, which loses nothing.
 */
const STOP_GRACE_MS = 10_000
/** Half a second when idle; long on a machine that starts a dozen others. */
const START_TIMEOUT_MS = 60_000
const POLL_MS = 15
/** A successor that is not ready then (a store is down) takes over anyway: the old process is no better. */
const READY_MS_MAX = 10_000
const REQUEST_TIMEOUT_MS = 1_000
/** It asks its clients for two seconds to reconnect, and then drains. */
const HANDOVER_MS_MAX = 13_000

/** Where a service listens (its READY_FILE). */
export type ServiceAddresses = { pid: number; url: string; metricsUrl: string; socket?: string }
export type RunningService = Running & { addresses: ServiceAddresses; record: ProcessRecord }

/** The LINE simulator, the one process that is not a service of ours. */
export const LINE_STUB = 'line-stub'

/** Entries other than the `main.ts` of the app of the same name. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = { map: ['tracking', 'src', 'map', 'main.ts'] }

export const entryOf = (service: string): string =>
  service === LINE_STUB
    ? join(PROJECT_ROOT, 'tools', 'line-simulator', 'src', 'process.ts')
    : join(PROJECT_ROOT, 'apps', ...(ENTRIES[serviceOf(service)] ?? [serviceOf(service), 'src', 'main.ts']))

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
    const told = { ...(await environment()), ...more, [rule.variable]: `${port}` }
    const record = await spawn(home, service, told)
    try {
      const addresses = await untilListening(home, service, { record, logStart, signal })
      port = Number(new URL(addresses.url).port) || port
      return { pid: record.pid, addresses, isAlive: () => isAlive(record), stop: () => end(record), record }
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
    await untilReady(latest.addresses.metricsUrl, options.signal)
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

/**
 * `environment` may hold more than the service should know; variables that its config does not read are left
 * out.
 */
async function spawn(home: Home, service: string, environment: Settings): Promise<ProcessRecord> {
  const entry = entryOf(service)
  const told = { ...environment, READY_FILE: home.readyFile(service) }
  const program =
    service === LINE_STUB
      ? { file: entry, env: told }
      : await bundleOf(serviceOf(service), entry).then(({ file, variables }) => ({
          file,
          env: environmentFor(variables, told),
        }))
  return spawnServer({
    command: [process.execPath, '--no-env-file', 'run', program.file, home.marker(service)],
    env: program.env,
    pidFile: home.pidFile(service),
    logFile: home.logFile(service),
    marker: home.marker(service),
    port: 0,
    fingerprint: '',
  })
}

async function untilListening(
  home: Home,
  service: string,
  { record, logStart, signal }: { record: ProcessRecord; logStart: number; signal: AbortSignal | undefined },
): Promise<ServiceAddresses> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline) {
    signal?.throwIfAborted()
    const addresses = readAddresses(home.readyFile(service))
    if (addresses?.pid === record.pid) return addresses
    if (!isAlive(record))
      throw new LauncherError(
        `${service} ended during its start. ${logExcerpt(home.logFile(service), logStart)}`,
      )
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(
    `${service} did not listen within ${START_TIMEOUT_MS / 1000} s. ${logExcerpt(home.logFile(service), logStart)}`,
  )
}

async function untilReady(metricsUrl: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX
  while (performance.now() < deadline) {
    signal?.throwIfAborted()
    if (await isReady(metricsUrl)) return
    await Bun.sleep(POLL_MS)
  }
}

/** Whether a listening process is ready: `/ready` beside its metrics. */
export async function isReady(metricsUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/ready', metricsUrl), {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    return answer.ok
  } catch {
    return false // it does not listen yet
  }
}

export function readAddresses(file: string): ServiceAddresses | undefined {
  const value = readJsonIfThere(file)
  return isAddresses(value) ? value : undefined
}

const isAddresses = (value: unknown): value is ServiceAddresses =>
  typeof value === 'object' && value !== null && ['pid', 'url', 'metricsUrl'].every((name) => name in value)
