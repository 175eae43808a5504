import type { Relayed } from '../proxy/relay.ts'

/** Who has read everything by then was never slow, and keeps the long idle time of a phone's connection. */
export const SLOW_MS = 2_000
/** The idle time of a whole answer's reader when memory is needed. */
const PRESSED_S = 1
/** Bun counts idle time in such steps, so that a connection closes up to one of them too early. */
const IDLE_STEP_MS = 4_000
/** What `fetch` reads ahead of a client that takes nothing: 0.5 to 0.9 MB, while its service is held back (measured). */
const READ_AHEAD_BYTES = 1_048_576

export type Server = Pick<Bun.Server<undefined>, 'requestIP' | 'timeout'>

/** A large answer and the client that reads it. */
export type Reader = {
  readonly address: string
  /** What is in memory for it; many readers may share one. */
  readonly body: object
  readonly bytes: number
  /** Since when it has been reading, or has taken nothing. */
  readonly sinceMs: number
  /** Whether it keeps its bytes in memory now. */
  readonly isWaiting: boolean
  readonly hasEnded: boolean
  /** Whether it ended because its client took nothing for so long. */
  readonly hasStalled: boolean
  /** Ends it after so long without progress, counted from now or from its last progress. */
  limit: (stalledMs: number) => void
  /** Ends it because its memory is needed. */
  press: () => void
}

type Whole = { server: Server; request: Request; address: string; body: Blob; nowMs: () => number }

/**
 * Bun sends a whole body by itself, out of one copy for all who read it, and closes a connection that is idle for too long. Only
 * its end can be seen, by the connection's address, which is gone then (measured).
 */
export function wholeReader({ server, request, address, body, nowMs }: Whole): Reader {
  const { signal } = request
  const sinceMs = nowMs()
  let limitMs = Number.POSITIVE_INFINITY
  return {
    address,
    body,
    bytes: body.size,
    sinceMs,
    isWaiting: true,
    get hasEnded() {
      return server.requestIP(request) === null
    },
    get hasStalled() {
      return signal.aborted && nowMs() - sinceMs > SLOW_MS + limitMs - IDLE_STEP_MS
    },
    limit: (stalledMs) => {
      if (limitMs !== Number.POSITIVE_INFINITY || nowMs() - sinceMs < SLOW_MS) return
      limitMs = stalledMs
      server.timeout(request, Math.ceil(stalledMs / 1_000))
    },
    press: () => server.timeout(request, PRESSED_S),
  }
}

/**
 * A relayed body is taken chunk by chunk. Where its length is known its service holds all of it; else what is read ahead is in memory,
 * while the client has not taken the chunk before.
 */
export function relayedReader({
  relayed,
  address,
  nowMs,
  changed,
}: {
  relayed: Relayed
  address: string
  nowMs: () => number
  /** Called whenever it begins or ceases to wait, and at its end. */
  changed: () => void
}): Reader {
  const isWhole = relayed.bytes !== undefined
  let sinceMs = nowMs()
  let isPending = false
  let hasEnded = false
  let hasStalled = false
  const reader: Reader = {
    address,
    body: {},
    bytes: relayed.bytes ?? READ_AHEAD_BYTES,
    get sinceMs() {
      return sinceMs
    },
    get isWaiting() {
      return (isWhole || isPending) && !hasEnded
    },
    get hasEnded() {
      return hasEnded
    },
    get hasStalled() {
      return hasStalled
    },
    limit: (stalledMs) => {
      if (!isPending || nowMs() - sinceMs < stalledMs) return
      hasStalled = true
      relayed.letGo()
    },
    press: () => {
      if (isPending) relayed.letGo()
    },
  }
  relayed.watch({
    sent: () => {
      isPending = true
      sinceMs = nowMs()
      changed()
    },
    taken: () => {
      isPending = false
      changed()
    },
    ended: () => {
      hasEnded = true
      changed()
    },
  })
  return reader
}
