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
 * Lets other processes of the same person ask the one that keeps a home up for a restart. The socket is in the home's
 * private folder, and nothing else can be asked for. `restart` rejects with a sentence for whoever asked.
 */
export function serveRestartRequests(
  home: Home,
  restart: (name: string) => Promise<void>,
): { close: () => Promise<void> } {
  const socket = socketOf(home)
  if (existsSync(socket)) unlinkSync(socket) // a killed launcher's
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

/** Asks the process that keeps a home up to restart one of its processes. @throws LauncherError with its sentence */
export async function requestRestart(home: Home, name: string): Promise<void> {
  const answer = await fetch(`http://supervisor/restart/${encodeURIComponent(name)}`, {
    unix: socketOf(home),
    method: 'POST',
    signal: AbortSignal.timeout(RESTART_TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new LauncherError(
      `What keeps ${home.folder} up cannot be asked for a restart of ${name}: ${error.message}`,
    )
  })
  if (!answer.ok) throw new LauncherError(`${name} was not restarted: ${await answer.text()}`)
}
