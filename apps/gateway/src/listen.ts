import { writeAddresses } from '@palanquin/service/http/listen'
import type { Part } from '@palanquin/service/run'
import type { App } from './app.ts'
import { readCertificate } from './certificate.ts'
import type { Config } from './config.ts'
import type { internalRoutes } from './internal-port.ts'
import type { Readers } from './readers/readers.ts'

/** Longer than the longest deadline, and long enough that a phone's next call finds its TLS connection open. */
const IDLE_TIMEOUT_S = 75
/** The gateway limits bodies itself, with a JSON error; Bun's own limit responds with an empty body (measured). */
const BUN_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER
/** Requests still in flight then are cut off; the process has a second more. */
const STOP_MS_MAX = 7_500

type Options = {
  config: Pick<
    Config,
    | 'PUBLIC_ADDRESS'
    | 'PUBLIC_PORT'
    | 'SHARE_PORT'
    | 'TLS_CERT_FILE'
    | 'TLS_KEY_FILE'
    | 'HOST'
    | 'PORT'
    | 'READY_FILE'
  > & {
    trustedProxies: readonly string[]
  }
  app: App
  internal: ReturnType<typeof internalRoutes>
  /** Close connections of this server. */
  readers: Readers
  /** Ends event streams, which would never end by themselves. */
  onStop: () => void
}

/** Opens the public port and the internal one, and writes their addresses to READY_FILE. */
export function listen({
  config,
  app,
  internal,
  readers,
  onStop,
}: Options): Part & { publicUrl: () => string } {
  let internalServer: Bun.Server<undefined> | undefined
  const publicUrl = () => `${secure(config) ? 'https' : 'http'}://localhost:${app.server?.port}`
  return {
    name: 'http',
    publicUrl,
    start: () => {
      if (config.SHARE_PORT === 'first') assertPortIsFree(config)
      app.listen({
        hostname: config.PUBLIC_ADDRESS,
        port: config.PUBLIC_PORT,
        reusePort: config.SHARE_PORT !== 'off',
        idleTimeout: IDLE_TIMEOUT_S,
        maxRequestBodySize: BUN_BODY_BYTES_MAX,
        development: false,
        ...(secure(config) ? { tls: readCertificate(config) } : {}),
      })
      readers.server = app.server ?? undefined
      internalServer = Bun.serve({
        hostname: config.HOST,
        port: config.PORT,
        routes: internal,
        fetch: () => new Response(null, { status: 404 }),
      })
      const metricsUrl = `http://${config.HOST}:${internalServer.port}/metrics`
      if (config.READY_FILE)
        writeAddresses(config.READY_FILE, { pid: process.pid, url: publicUrl(), metricsUrl })
    },
    stop: async () => {
      onStop()
      const cut = setTimeout(() => void app.server?.stop(true), STOP_MS_MAX)
      await app.server?.stop(false)
      clearTimeout(cut)
      await internalServer?.stop(true)
    },
  }
}

/** Any process of the same user may share a shared port: two deployments could listen at one port by accident. */
function assertPortIsFree({ PUBLIC_ADDRESS, PUBLIC_PORT }: Options['config']): void {
  const probe = Bun.serve({ hostname: PUBLIC_ADDRESS, port: PUBLIC_PORT, fetch: () => new Response() })
  void probe.stop(true)
}

const secure = ({ trustedProxies }: Options['config']): boolean => trustedProxies.length === 0
