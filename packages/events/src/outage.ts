import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'

const PAUSE_MS_MIN = 100
/** Services are back within 10 s of a store's return (faults.md). */
const PAUSE_MS_MAX = 2_000

/** Logs an outage once at its start and its end, and gives the pauses between the tries. */
export type Outage = {
  /** Notes a failure and gives the pause before the next try, in milliseconds. */
  failed: (error: unknown) => number
  recovered: () => void
}

export function createOutage(log: Log, what: string): Outage {
  let failures = 0
  return {
    failed: (error) => {
      const reason = error instanceof Error ? error.message : String(error)
      if (failures === 0)
        log.warn(
          { event: 'part.interrupted', part: what, reason },
          'A background part cannot reach a store; retrying',
        )
      else
        log.debug(
          { event: 'part.retried', part: what, reason, failures },
          'A background part still cannot reach a store',
        )
      return Math.min(PAUSE_MS_MIN * 2 ** failures++, PAUSE_MS_MAX)
    },
    recovered: () => {
      if (failures > 0)
        log.info({ event: 'part.resumed', part: what, failures }, 'A background part works again')
      failures = 0
    },
  }
}

/** A connection to a Redis that is there takes milliseconds. */
const CONNECT_MS_MAX = 1_000
const CONNECT_LOOK_MS = 10

/** Gives fresh clients the time to connect, so that a process does not warn of its own start. */
export async function connected(clients: readonly Redis[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + CONNECT_MS_MAX
  while (performance.now() < deadline && !signal.aborted && !clients.every((client) => client.isReady))
    await pause(CONNECT_LOOK_MS, signal)
}

/** Waits, or returns at once when the signal says that it is time to stop. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
