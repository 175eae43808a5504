import { backoffMs } from '@palanquin/service/retry'

/** An unanswered request is repeated with growing pauses, or after Retry-After. */
const BACKOFF = { minMs: 1_000, maxMs: 8_000 }
/**
 * Longer waits are not sat out: a survey that failed twice may be sent again ten minutes later, after the
 * run.
 */
const RETRY_AFTER_S_MAX = 61

type Response = { status: number; headers?: Headers }

export type Retries = ReturnType<typeof openRetries>

/** Repeats a request until it is decided; `signal` ends that with an error. */
export function openRetries(signal: AbortSignal) {
  /** When each pending request began (`performance.now()`). */
  const waiting = new Set<{ sinceMs: number }>()
  return {
    /** How many pending requests began before a time (`performance.now()`). */
    waitingSince: (ms: number): number => [...waiting].filter(({ sinceMs }) => sinceMs <= ms).length,
    /** `once` returns null without a response; `onReply` gets the result of each try. */
    untilDecided: async <R extends Response>(
      what: string,
      once: () => Promise<R | null>,
      onReply: (reply: R | null) => void,
    ): Promise<R> => {
      const pending = { sinceMs: performance.now() }
      waiting.add(pending)
      try {
        for (let failures = 1; ; failures++) {
          const reply = await once()
          onReply(reply)
          if (reply && reply.status < 500 && reply.status !== 429) return reply
          const retryAfterS = reply?.status === 429 ? Number(reply.headers?.get('retry-after') ?? 0) : 0
          if (reply && retryAfterS > RETRY_AFTER_S_MAX) return reply
          if (signal.aborted) throw new Error(`${what} was never answered`)
          await Bun.sleep(Math.max(retryAfterS * 1000, backoffMs(failures, BACKOFF)))
        }
      } finally {
        waiting.delete(pending)
      }
    },
  }
}
