import { readFileSync } from 'node:fs'
import { LauncherError } from '../launcher-error.ts'
import type { RunFile } from '../run-state/run-file.ts'
import { GATEWAY } from './services.ts'

/** The first requests on a fresh database are slow on a busy machine. */
const READY_TIMEOUT_MS = 60_000
const REQUEST_TIMEOUT_MS = 2_000
const POLL_MS = 50
/** A successor that is not ready then (a store is down) takes over anyway: the old process is no better. */
export const SUCCESSOR_READY_MS_MAX = 10_000

/** A request to the gateway at its public address; `path` is below it. */
export function requestGateway(run: RunFile, path: string, init: RequestInit = {}): Promise<Response> {
  const proxied = run.url.startsWith('http:') ? { 'x-forwarded-proto': 'https' } : undefined
  return fetch(run.url + path, {
    ...init,
    ...(proxied ? { headers: { ...Object.fromEntries(new Headers(init.headers)), ...proxied } } : {}),
    tls: { ca: readFileSync(run.caFile, 'utf8') },
  })
}

/** `/ready` at the public address; behind a proxy, which may not be on this machine, at the internal port. */
function requestReady(run: RunFile): Promise<Response> {
  const init = { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }
  const internal = run.url.startsWith('http:') && run.services[GATEWAY]?.metricsUrl
  return internal ? fetch(new URL('/ready', internal), init) : requestGateway(run, '/ready', init)
}

/** Resolves once `/ready` is 200. @throws LauncherError with what is not ready */
export async function untilReady(
  run: RunFile,
  { detail, signal }: { detail: (text: string) => void; signal: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  let latest = 'it does not answer'
  while (performance.now() < deadline) {
    signal.throwIfAborted()
    try {
      const answer = await requestReady(run)
      if (answer.status === 200) return
      latest = (await answer.text()).slice(0, 500)
    } catch (error) {
      latest = error instanceof Error ? error.message : String(error)
    }
    detail(latest)
    await Bun.sleep(POLL_MS)
  }
  throw new LauncherError(`The gateway runs but is not ready: ${latest}`)
}

/** Resolves once a process is ready, or after a while all the same. */
export async function untilSuccessorReady(
  metricsUrl: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + SUCCESSOR_READY_MS_MAX
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
