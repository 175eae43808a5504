import { fileURLToPath } from 'node:url'

/**
 * Leaves nothing behind: a small process of its own that reads a pipe from the test process. When that process
 * ends, in whatever way (done, Ctrl-C, kill -9), the pipe closes, and the warden ends every server that is still
 * guarded and removes its folder. It runs in a session of its own, so that Ctrl-C does not end it first.
 */
const WARDEN_PROCESS = fileURLToPath(new URL('./warden-process.ts', import.meta.url))

export const GUARDED_KINDS = ['postgres', 'redis', 's3'] as const
export type Guarded = {
  kind: (typeof GUARDED_KINDS)[number]
  /** Holds everything of the server; removed in the end. */
  folder: string
}
export type WardenOrder = { guard: Guarded } | { release: string }

let warden: { write: (order: WardenOrder) => void } | undefined

/** From now on the server in this folder does not outlive the test process. */
export function guard(guarded: Guarded): void {
  warden ??= startWarden()
  warden.write({ guard: guarded })
}

/** The server was ended and its folder removed by the test itself. */
export function release(folder: string): void {
  warden?.write({ release: folder })
}

function startWarden() {
  const child = Bun.spawn([process.execPath, WARDEN_PROCESS], {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  child.unref()
  return {
    write: (order: WardenOrder) => {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      child.stdin.flush()
    },
  }
}
