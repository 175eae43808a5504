/** Whoever is not answered tries again after a moment, or when told to, for as long as it has something to say. */
const PAUSE_MS = 1_000
const PAUSE_MS_MAX = 8_000
/** Nobody waits longer: a survey that failed twice may be sent again ten minutes later, which is another day here. */
const RETRY_AFTER_S_MAX = 61

type Response = { status: number; headers?: Headers }

export type Retries = ReturnType<typeof openRetries>

/** Tries until there is an answer that decides something; `signal` ends it with an error. */
export function openRetries(signal: AbortSignal) {
  /** Since when each waits, of `performance.now()`. */
  const waiting = new Set<{ sinceMs: number }>()
  return {
    /** How many wait for now that have waited since a moment, of `performance.now()`. */
    waitingSince: (ms: number): number => [...waiting].filter(({ sinceMs }) => sinceMs <= ms).length,
    /** `once` comes back with null when no answer came; `heard` is told of each try. */
    persist: async <R extends Response>(
      what: string,
      once: () => Promise<R | null>,
      onReply: (reply: R | null) => void,
    ): Promise<R> => {
      const mine = { sinceMs: performance.now() }
      waiting.add(mine)
      try {
        for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
          const reply = await once()
          onReply(reply)
          if (reply && reply.status < 500 && reply.status !== 429) return reply
          const retryAfterS = reply?.status === 429 ? Number(reply.headers?.get('retry-after') ?? 0) : 0
          if (reply && retryAfterS > RETRY_AFTER_S_MAX) return reply
          if (signal.aborted) throw new Error(`${what} was never answered for`)
          await Bun.sleep(Math.max(retryAfterS * 1000, pauseMs * (0.5 + Math.random())))
        }
      } finally {
        waiting.delete(mine)
      }
    },
  }
}
