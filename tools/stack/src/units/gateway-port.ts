import { createServer } from 'node:net'
import { LauncherError } from '../launcher-error.ts'

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
