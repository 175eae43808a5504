import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { LauncherError } from '../launcher-error.ts'
import { type Home, socketFolderOf } from '../run-state/home.ts'

/** Longer than a drain and a start take on a busy machine. */
const RESTART_TIMEOUT_MS = 90_000

/** Bun's types leave idleTimeout out for Unix sockets; without it a handler is cut after 10 s there too (measured). */
const LONG_IDLE_TIMEOUT: object = { idleTimeout: RESTART_TIMEOUT_MS / 1_000 }

const socketOf = (home: Home): string => join(socketFolderOf(home), 'supervisor.sock')

/**
 * Serves restart requests of the same user's other processes. The socket is in the home's private folder,
 * and takes nothing else. An error of `restart` is sent to the caller.
 */
export function serveRestartRequests(
  home: Home,
  restart: (name: string) => Promise<void>,
): { close: () => Promise<void> } {
  const socket = socketOf(home)
  if (existsSync(socket)) unlinkSync(socket) // left by a killed launcher
  const server = Bun.serve({
    unix: socket,
    ...LONG_IDLE_TIMEOUT,
    routes: {
      '/restart/:name': {
        POST: async ({ params }) => {
          try {
            await restart(params.name)
            return new Response(null, { status: 204 })
          } catch (error) {
            return new Response(error instanceof Error ? error.message : String(error), { status: 409 })
          }
        },
      },
    },
    fetch: () => new Response('nothing but POST /restart/NAME', { status: 404 }),
  })
  return {
    close: async () => {
      await server.stop(true)
      if (existsSync(socket)) unlinkSync(socket)
    },
  }
}

/** Requests the restart of one process from the supervisor. @throws LauncherError with its error message */
export async function requestRestart(home: Home, name: string): Promise<void> {
  const answer = await fetch(`http://supervisor/restart/${encodeURIComponent(name)}`, {
    unix: socketOf(home),
    method: 'POST',
    signal: AbortSignal.timeout(RESTART_TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new LauncherError(
      `The supervisor of ${home.folder} cannot be asked to restart ${name}: ${error.message}`,
    )
  })
  if (!answer.ok) throw new LauncherError(`${name} was not restarted: ${await answer.text()}`)
}
