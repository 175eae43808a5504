import { connect } from 'node:net'
import type { Address } from './address.ts'

/**
 * Calls for a service that was there until a moment ago are held for so long: a process that restarts is back in a second or two, on a
 * busy machine in twice that. Nobody is held for one that has been away for longer.
 */
const AWAY_MS_MAX = 4_000
/** How often one look is taken for all who wait. */
const LOOK_MS = 50
const LOOK_MS_MAX = 1_000
/** Bodies of held calls in memory; how many calls there are is bounded by the places of their service. */
const HELD_BYTES_MAX = 8 * 1_048_576

/** Waits for a service none of whose copies can be reached, once for all of its calls. */
export class Reconnect {
  readonly #addresses: readonly Address[]
  #awaySinceMs: number | undefined
  #look: Promise<boolean> | undefined
  #heldBytes = 0

  constructor(addresses: readonly Address[]) {
    this.#addresses = addresses
  }

  /** The service has answered. */
  isBack(): void {
    this.#awaySinceMs = undefined
  }

  /** Whether it can be reached again before `endMs`, for a call of so many bytes that no copy has seen. */
  async wait(bytes: number, endMs: number): Promise<boolean> {
    this.#awaySinceMs ??= performance.now()
    const lastMs = Math.min(this.#awaySinceMs + AWAY_MS_MAX, endMs)
    if (this.#heldBytes + bytes > HELD_BYTES_MAX) return false
    this.#heldBytes += bytes
    try {
      while (performance.now() + LOOK_MS < lastMs) {
        this.#look ??= this.#takeLook()
        if (await this.#look) return true
      }
      return false
    } finally {
      this.#heldBytes -= bytes
    }
  }

  async #takeLook(): Promise<boolean> {
    await Bun.sleep(LOOK_MS)
    const found = await Promise.all(this.#addresses.map(isListening))
    this.#look = undefined
    return found.some(Boolean)
  }
}

function isListening({ origin, init }: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { hostname, port } = new URL(origin)
  const socket = init.unix
    ? connect(init.unix)
    : connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ''))
  socket.setTimeout(LOOK_MS_MAX)
  socket.on('connect', () => resolve(true))
  for (const event of ['error', 'timeout'] as const) socket.on(event, () => resolve(false))
  return promise.finally(() => socket.destroy())
}
