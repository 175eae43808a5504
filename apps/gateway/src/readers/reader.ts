import type { Relayed } from '../proxy/relay.ts'

/** A client that has read everything by then is not slow, and keeps the long idle timeout of its connection. */
export const SLOW_MS = 2_000
/** The idle timeout of a whole response when memory is needed. */
const RECLAIM_TIMEOUT_S = 1
/** Bun counts idle time in such steps, so a connection may close one step too early. */
const IDLE_STEP_MS = 4_000
/** What `fetch` reads ahead of a client that reads nothing: 0.5 to 0.9 MB, then its service is paused (measured). */
const READ_AHEAD_BYTES = 1_048_576

export type Server = Pick<Bun.Server<undefined>, 'requestIP' | 'timeout'>

/** A large response and the client that reads it. */
export type Reader = {
  readonly address: string
  /** Its bytes in memory; many readers may share them. */
  readonly body: object
  readonly bytes: number
  /** When it began, or last made progress. */
  readonly sinceMs: number
  /** Whether its bytes are in memory now. */
  readonly isWaiting: boolean
  readonly hasEnded: boolean
  /** Whether it ended because its client read nothing for too long. */
  readonly hasStalled: boolean
  /** Ends it after so long without progress, from now or from its last progress. */
  limit: (stalledMs: number) => void
  /** Ends it because its memory is needed. */
  reclaim: () => void
}

type Whole = { server: Server; request: Request; address: string; body: Blob; nowMs: () => number }

/**
 * Bun sends a whole body by itself, from one copy for all its readers, and closes a connection that is idle for too long.
 * Only its end can be seen: the connection then has no address (measured).
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
    reclaim: () => server.timeout(request, RECLAIM_TIMEOUT_S),
  }
}

/**
 * A relayed body is read chunk by chunk. Where its length is known, all of it counts; else what is read ahead, while the
 * client has not read the chunk before.
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
  /** Called whenever `isWaiting` changes, and at the end. */
  changed: () => void
}): Reader {
  const isWhole = relayed.bytes !== undefined
  let sinceMs = nowMs()
  let isPending = false
  let hasEnded = false
  let hasStalled = false
  const reader: Reader = {
    address,
    body: relayed.source ?? {},
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
      relayed.drop()
    },
    reclaim: () => {
      if (isPending) relayed.drop()
    },
  }
  relayed.watch({
    sent: () => {
      isPending = true
      sinceMs = nowMs()
      changed()
    },
    read: () => {
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
