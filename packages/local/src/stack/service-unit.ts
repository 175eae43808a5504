import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '@palanquin/embedded/file'
import { adopt, isAlive, type ProcessRecord, spawnServer, stop } from '@palanquin/embedded/process'
import type { Home } from '../home.ts'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import type { Settings } from '../settings.ts'
import { serviceOf } from './copies.ts'
import { lastWords, sizeOf } from './last-words.ts'
import { programOf } from './program.ts'
import type { Running, Unit } from './unit.ts'

/** A service drains for at most 9 seconds (packages/service); after this it is killed, which loses nothing. */
const STOP_GRACE_MS = 10_000
/** Half a second, but on a machine that starts a dozen others at the same time. */
const START_TIMEOUT_MS = 60_000
const POLL_MS = 15

/** Where a service says that it listens (its READY_FILE). */
export type ServiceAddresses = { pid: number; url: string; metricsUrl: string; socket?: string }
export type RunningService = Running & { addresses: ServiceAddresses }

/** The one process that is no service of the house: it plays LINE. */
export const LINE_STUB = 'line-stub'

export const entryOf = (service: string): string =>
  service === LINE_STUB
    ? join(PROJECT_ROOT, 'packages', 'testing', 'src', 'line', 'process.ts')
    : join(PROJECT_ROOT, 'apps', serviceOf(service), 'src', 'main.ts')

/** Which variable tells a process its port; a fixed one stays whatever happens, because clients know it. */
export type PortRule = { variable: 'PORT' | 'PUBLIC_PORT'; first: number; fixed: boolean }
const ANY_PORT: PortRule = { variable: 'PORT', first: 0, fixed: false }

/**
 * A service of the house as a unit. A restart gets the port that the service had, so that what reads its metrics
 * need not look it up again; should somebody have taken that meanwhile, the next try gets another.
 */
export function serviceUnit(
  home: Home,
  service: string,
  environment: () => Settings | Promise<Settings>,
  rule: PortRule = ANY_PORT,
): Unit & { running: () => RunningService | undefined } {
  let latest: RunningService | undefined
  let port = rule.first
  return {
    name: service,
    running: () => latest,
    start: async ({ signal }) => {
      await endService(home, service)
      const logStart = sizeOf(home.logFile(service))
      const record = await spawn(home, service, { ...(await environment()), [rule.variable]: `${port}` })
      try {
        const addresses = await untilListening(home, service, { record, logStart, signal })
        port = Number(new URL(addresses.url).port) || port
        latest = { pid: record.pid, addresses, isAlive: () => isAlive(record), stop: () => end(record) }
        return latest
      } catch (error) {
        await end(record)
        if (!rule.fixed) port = rule.first
        throw error
      }
    },
  }
}

/** Ends a service of this home, whoever started it; false when none ran. */
export async function endService(home: Home, service: string): Promise<boolean> {
  const orphan = adopt(home.pidFile(service), home.marker(service))
  if (orphan) await end(orphan)
  rmSync(home.readyFile(service), { force: true })
  return orphan !== undefined
}

const end = (record: ProcessRecord): Promise<void> =>
  stop(record, { signal: 'SIGTERM', graceMs: STOP_GRACE_MS })

async function spawn(home: Home, service: string, env: Settings): Promise<ProcessRecord> {
  const program = await programOf(serviceOf(service), entryOf(service))
  return spawnServer({
    command: [process.execPath, '--no-env-file', 'run', program, home.marker(service)],
    env: { ...env, READY_FILE: home.readyFile(service) },
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
      throw new LauncherError(`${service} ended as it started. ${lastWords(home.logFile(service), logStart)}`)
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(
    `${service} did not listen within ${START_TIMEOUT_MS / 1000} s. ${lastWords(home.logFile(service), logStart)}`,
  )
}

export function readAddresses(file: string): ServiceAddresses | undefined {
  const value: unknown = JSON.parse(readIfThere(file) ?? 'null')
  return isAddresses(value) ? value : undefined
}

const isAddresses = (value: unknown): value is ServiceAddresses =>
  typeof value === 'object' && value !== null && ['pid', 'url', 'metricsUrl'].every((name) => name in value)
