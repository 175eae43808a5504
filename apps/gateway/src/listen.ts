import { writeAddresses } from '@palanquin/service/http/listen'
import type { Part } from '@palanquin/service/run'
import type { App } from './app.ts'
import type { Config } from './config.ts'
import type { internalRoutes } from './internal-port.ts'
import type { Readers } from './readers/readers.ts'

/** Longer than the longest deadline, and long enough that a phone's next call finds its TLS connection open. */
const IDLE_TIMEOUT_S = 75
/** The gateway counts bodies itself and answers JSON; Bun's own limit would answer nothing (measured). */
const BACKSTOP_BYTES_MAX = Number.MAX_SAFE_INTEGER
/** What is still under way then is cut off; the process has a second more. */
const DRAIN_MS_MAX = 7_500

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
  gateway: App
  internal: ReturnType<typeof internalRoutes>
  /** They close connections of this server. */
  readers: Readers
  /** Ends what would go on for ever: event streams. */
  onStop: () => void
}

/** Opens the public port and the internal one, and tells the launcher where they are. */
export function listen({
  config,
  gateway,
  internal,
  readers,
  onStop,
}: Options): Part & { publicUrl: () => string } {
  let internalServer: Bun.Server<undefined> | undefined
  const publicUrl = () => `${secure(config) ? 'https' : 'http'}://localhost:${gateway.server?.port}`
  return {
    name: 'http',
    publicUrl,
    start: () => {
      if (config.SHARE_PORT === 'first') assertNobodyListens(config)
      gateway.listen({
        hostname: config.PUBLIC_ADDRESS,
        port: config.PUBLIC_PORT,
        reusePort: config.SHARE_PORT !== 'off',
        idleTimeout: IDLE_TIMEOUT_S,
        maxRequestBodySize: BACKSTOP_BYTES_MAX,
        development: false,
        ...(secure(config) ? { tls: certificateOf(config) } : {}),
      })
      readers.server = gateway.server ?? undefined
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
      const cut = setTimeout(() => void gateway.server?.stop(true), DRAIN_MS_MAX)
      await gateway.server?.stop(false)
      clearTimeout(cut)
      await internalServer?.stop(true)
    },
  }
}

/** Shared ports are given to anybody of the same user: without this two houses could answer at one port by accident. */
function assertNobodyListens({ PUBLIC_ADDRESS, PUBLIC_PORT }: Options['config']): void {
  const alone = Bun.serve({ hostname: PUBLIC_ADDRESS, port: PUBLIC_PORT, fetch: () => new Response() })
  void alone.stop(true)
}

const secure = ({ trustedProxies }: Options['config']): boolean => trustedProxies.length === 0

const certificateOf = ({ TLS_CERT_FILE, TLS_KEY_FILE }: Options['config']) => ({
  cert: Bun.file(TLS_CERT_FILE ?? ''),
  key: Bun.file(TLS_KEY_FILE ?? ''),
})
