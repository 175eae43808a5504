import { connect } from 'node:net'
import type { Address } from './address.ts'

/**
 * How long calls wait for a service that has just gone away: a restart takes a second or two, twice that on a busy machine.
 * No call waits for one that has been away for longer.
 */
const AWAY_MS_MAX = 4_000
/** How often the copies are probed for all waiting calls. */
const PROBE_MS = 50
const PROBE_DEADLINE_MS = 1_000
/** Bodies of waiting calls in memory; the calls themselves are bounded by the places of their service. */
const WAITING_BYTES_MAX = 8 * 1_048_576

/** Waits for a service of which no copy can be reached, once for all of its calls. */
export class Reconnect {
  readonly #addresses: readonly Address[]
  #awaySinceMs: number | undefined
  #probing: Promise<boolean> | undefined
  #waitingBytes = 0

  constructor(addresses: readonly Address[]) {
    this.#addresses = addresses
  }

  /** The service has answered. */
  isBack(): void {
    this.#awaySinceMs = undefined
  }

  /** Whether a copy can be reached before `endMs`, for a call of so many bytes that no copy has received. */
  async wait(bytes: number, endMs: number): Promise<boolean> {
    this.#awaySinceMs ??= performance.now()
    const lastMs = Math.min(this.#awaySinceMs + AWAY_MS_MAX, endMs)
    if (this.#waitingBytes + bytes > WAITING_BYTES_MAX) return false
    this.#waitingBytes += bytes
    try {
      while (performance.now() + PROBE_MS < lastMs) {
        this.#probing ??= this.#probe()
        if (await this.#probing) return true
      }
      return false
    } finally {
      this.#waitingBytes -= bytes
    }
  }

  async #probe(): Promise<boolean> {
    await Bun.sleep(PROBE_MS)
    const found = await Promise.all(this.#addresses.map(isListening))
    this.#probing = undefined
    return found.some(Boolean)
  }
}

function isListening({ origin, init }: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { hostname, port } = new URL(origin)
  const socket = init.unix
    ? connect(init.unix)
    : connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ''))
  socket.setTimeout(PROBE_DEADLINE_MS)
  socket.on('connect', () => resolve(true))
  for (const event of ['error', 'timeout'] as const) socket.on(event, () => resolve(false))
  return promise.finally(() => socket.destroy())
}
