import { isAlive, type ProcessRecord, spawnServer } from '@palanquin/embedded/process'
import { readJsonIfThere } from '@palanquin/files/read'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'
import { environmentFor } from '../settings/service-variables.ts'
import type { Settings } from '../settings/settings.ts'
import { serviceOf } from './copies.ts'
import { entryOf, LINE_STUB } from './entries.ts'
import { logExcerpt } from './log-excerpt.ts'
import { bundleOf } from './service-bundle.ts'

/** Half a second when idle; long on a machine that starts a dozen others. */
const START_TIMEOUT_MS = 60_000
const POLL_MS = 15

/** Where a service listens (its READY_FILE). */
export type ServiceAddresses = { pid: number; url: string; metricsUrl: string; socket?: string }

/** Starts a service. Variables of `environment` that its config does not read are left out. */
export async function spawnService(
  home: Home,
  service: string,
  environment: Settings,
): Promise<ProcessRecord> {
  const entry = entryOf(service)
  const all = { ...environment, READY_FILE: home.readyFile(service) }
  const program =
    service === LINE_STUB
      ? { file: entry, env: all }
      : await bundleOf(serviceOf(service), entry).then(({ file, variables }) => ({
          file,
          env: environmentFor(variables, all),
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

/** Resolves once the process has written where it listens. @throws LauncherError with its log when it does not */
export async function untilListening(
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

/** Where a service said that it listens; undefined while it has not. */
export function readAddresses(file: string): ServiceAddresses | undefined {
  const value = readJsonIfThere(file)
  return isAddresses(value) ? value : undefined
}

const isAddresses = (value: unknown): value is ServiceAddresses =>
  typeof value === 'object' && value !== null && ['pid', 'url', 'metricsUrl'].every((name) => name in value)
