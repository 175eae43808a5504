import { pause } from './pause.ts'

/** Bounds of a backoff: the first pause, the longest, and which share of each is left to chance. */
export type Backoff = {
  minMs: number
  maxMs: number
  /** From 0 to 1: copies of a process that fail together should not come back together. */
  jitter?: number
  random?: () => number
}

const JITTER = 0.5

/** The pause after so many failures in a row (from 1): `minMs`, doubled up to `maxMs`, less its jitter. */
export function backoffMs(
  failures: number,
  { minMs, maxMs, jitter = JITTER, random = Math.random }: Backoff,
): number {
  const wholeMs = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 40))
  return wholeMs * (1 - jitter * random())
}

/** After how many failures, and when, to give up; left out, never. */
type RetryLimits = {
  attemptsMax?: number
  /** No pause ends later than so long after the first attempt began. */
  withinMs?: number
  isRetryable?: (error: unknown) => boolean
  /** Gives up when it aborts, during a pause also. */
  signal?: AbortSignal
}

/** Repeats idempotent `work` until it succeeds, with growing pauses; rejects with its last failure. */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  {
    attemptsMax = Infinity,
    withinMs = Infinity,
    isRetryable = () => true,
    signal,
    ...backoff
  }: Backoff & RetryLimits,
): Promise<T> {
  const endMs = performance.now() + withinMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      const pauseMs = backoffMs(attempt, backoff)
      const mayRetry = attempt < attemptsMax && performance.now() + pauseMs < endMs && isRetryable(error)
      if (!mayRetry || signal?.aborted) throw error
      await pause(pauseMs, signal)
      if (signal?.aborted) throw error
    }
  }
}
