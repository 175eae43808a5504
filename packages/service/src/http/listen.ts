import { chmodSync, existsSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Part } from '../run.ts'

/** Longer than nearly any handler works: the gateway's deadlines are what ends a request. */
const IDLE_TIMEOUT_S = 60

export type Addresses = { pid: number; url: string; metricsUrl: string; socket?: string }

type ListenConfig = {
  HOST: string
  PORT: number
  SOCKET?: string | undefined
  READY_FILE?: string | undefined
  DRAIN_MS: number
}

type Handler = { fetch: (request: Request) => Response | Promise<Response> }

/** A TCP port and a Unix socket. At stop it serves for `drainMs` more, with `Connection: close`. */
export function listen({
  app,
  host,
  port,
  socket,
  readyFile,
  drainMs = 0,
  unhurried = [],
  idleTimeoutS = IDLE_TIMEOUT_S,
}: {
  app: Handler
  host: string
  port: number
  socket?: string | undefined
  readyFile?: string | undefined
  drainMs?: number
  unhurried?: readonly string[]
  idleTimeoutS?: number
}): Part {
  const servers: Bun.Server<undefined>[] = []
  let leaving = false
  return {
    name: 'http',
    start: () => {
      // Without idleTimeout Bun cuts handlers of a Unix socket after 10 s, too; its types leave it out.
      const idle: object = { idleTimeout: idleTimeoutS, development: false }
      const fetch = async (request: Request, server: Bun.Server<undefined>) => {
        if (unhurried.some((path) => request.url.endsWith(path))) server.timeout(request, 0)
        const answer = await app.fetch(withWholeUrl(request))
        if (leaving) answer.headers.set('connection', 'close')
        return answer
      }
      if (socket) {
        mkdirSync(dirname(socket), { recursive: true })
        // A socket file that a killed process left behind gives EADDRINUSE.
        if (existsSync(socket)) unlinkSync(socket)
        servers.push(Bun.serve({ unix: socket, fetch, ...idle }))
        chmodSync(socket, 0o600)
      }
      const tcp = Bun.serve({ hostname: host, port, fetch, ...idle })
      servers.push(tcp)
      const url = `http://${host}:${tcp.port}`
      if (readyFile)
        writeAddresses(readyFile, {
          pid: process.pid,
          url,
          metricsUrl: `${url}/metrics`,
          ...(socket ? { socket } : {}),
        })
    },
    stop: async () => {
      leaving = true
      await Bun.sleep(drainMs)
      await Promise.all(servers.map((server) => server.stop(false)))
      if (socket && existsSync(socket)) unlinkSync(socket)
    },
  }
}

export const httpPart = ({
  app,
  config,
  unhurried = [],
}: {
  app: Handler
  config: ListenConfig
  unhurried?: readonly string[]
}): Part =>
  listen({
    app,
    host: config.HOST,
    port: config.PORT,
    socket: config.SOCKET,
    readyFile: config.READY_FILE,
    drainMs: config.DRAIN_MS,
    unhurried,
  })

/** Elysia looks for the path from here on, so that it misses it behind a host of three letters or fewer. */
const ROUTER_LOOKS_FROM = 'http://'.length + 4

/** HTTP/1.0 without Host has a path alone, and a short host hides it from the router (both measured). */
function withWholeUrl(request: Request): Request {
  const { url } = request
  const pathAt = url.startsWith('/') ? 0 : url.indexOf('/', 'http://'.length)
  return pathAt >= ROUTER_LOOKS_FROM
    ? request
    : new Request(`http://service.internal${url.slice(pathAt)}`, request)
}

export function writeAddresses(readyFile: string, addresses: Addresses): void {
  mkdirSync(dirname(readyFile), { recursive: true })
  writeFileSync(`${readyFile}.${process.pid}`, JSON.stringify(addresses), { mode: 0o600 })
  renameSync(`${readyFile}.${process.pid}`, readyFile)
}
