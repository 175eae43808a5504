import { appendFileSync } from 'node:fs'
import { type Api, openApi } from '@palanquin/stack/api'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { bringUp } from '@palanquin/stack/lifecycle/bring-up'
import { acquireHome, releaseHome } from '@palanquin/stack/lifecycle/home-lock'
import { closeOnInterrupt } from '@palanquin/stack/lifecycle/interruption'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import type { Home } from '@palanquin/stack/run-state/home'
import type { RunFile } from '@palanquin/stack/run-state/run-file'
import { noSettings, readSettings } from '@palanquin/stack/settings/settings'
import type { Links } from './faults/links.ts'

/** Kills should often hit a flush, so it runs every second. */
const EVERY_SECOND = '* * * * * *'

export type Deployment = { home: Home; run: RunFile; api: Api; close: () => Promise<void> }

/** A whole stack that runs in this process, with default settings except for the given ones. */
export async function openStack(
  home: Home,
  { links, settings: input = {} }: { links?: Links; settings?: Record<string, string> },
): Promise<Deployment> {
  const settings = readSettings(PROJECT_ROOT, {
    ...process.env,
    ...noSettings(PROJECT_ROOT),
    FLUSH_SCHEDULE: EVERY_SECOND,
    ...input,
  })
  const other = await acquireHome(home)
  if (other)
    throw new LauncherError(
      `${home.folder} is in use by process ${other.pid}: chaos needs a home of its own.`,
    )
  const log = (line: string) =>
    appendFileSync(home.logFile('supervisor'), `${new Date().toISOString()} ${line}\n`)
  const close = async (stop: () => Promise<Error[]>) => {
    for (const problem of await stop()) log(problem.message)
    releaseHome(home)
    await links?.close()
  }
  const interrupted = new AbortController()
  const deployment = bringUp({
    home,
    port: 0,
    settings,
    progress: () => {},
    log,
    signal: interrupted.signal,
    ...(links ? { reroute: links.reroute } : {}),
  })
  const forget = closeOnInterrupt(async () => {
    interrupted.abort()
    await deployment.then(
      ({ stop }) => close(stop),
      () => close(async () => []),
    )
  })
  try {
    const { run, stop } = await deployment
    return { home, run, api: openApi(run, settings), close: () => close(stop).finally(forget) }
  } catch (error) {
    await close(async () => []).finally(forget)
    throw error
  }
}
