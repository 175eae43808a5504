import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { LauncherError } from '../launcher-error.ts'
import type { RunFile } from '../run-state/run-file.ts'
import { GATEWAY } from './services.ts'

/** The first requests on a fresh database are slow on a busy machine. */
const READY_TIMEOUT_MS = 60_000
const REQUEST_TIMEOUT_MS = 2_000
const POLL_MS = 50

/** @throws LauncherError when the gateway could not listen on that port */
export function assertPortIsFree(port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => {
      const code = 'code' in error ? error.code : ''
      const why =
        code === 'EACCES'
          ? `Port ${port} needs more rights than this user has`
          : code === 'EADDRINUSE'
            ? `Port ${port} is taken by another program`
            : `Port ${port} cannot be used (${error.message})`
      reject(new LauncherError(`${why}: choose another with --port N, or --port 0 for any free one.`))
    })
    server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve()))
  })
}

/** Below the system's ephemeral ports, so that it stays free until the gateway takes it. */
const FREE_PORT = { from: 20_000, below: 32_000 }
const TRIES_MAX = 20

/** A free port, for settings that contain the address before the gateway listens. */
export async function freePort(address: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = FREE_PORT.from + Math.floor(Math.random() * (FREE_PORT.below - FREE_PORT.from))
    try {
      await assertPortIsFree(port, address)
      return port
    } catch (error) {
      if (tries === TRIES_MAX) throw error
    }
  }
}

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
