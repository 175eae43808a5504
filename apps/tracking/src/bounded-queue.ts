import { ApiError } from '@palanquin/service/http/api-error'

/** A queue that is full is so for seconds. */
const RETRY_AFTER_S = 2
/** A reader that takes nothing for so long holds up nobody else. */
const STALLED_MS = 30_000

export type Turns = ReturnType<typeof boundedTurns>

/**
 * A bound on costly work: so many pieces at once, a short queue behind them, and a 503 for whoever comes then. `refused`
 * hears of each of these.
 */
export function boundedTurns({
  atOnce,
  waitingMax,
  sentence,
  refused = () => {},
}: {
  atOnce: number
  waitingMax: number
  sentence: string
  refused?: () => void
}) {
  const waiting: (() => void)[] = []
  let running = 0

  const release = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  /** Waits for a turn; comes back with what gives it back (once), or with the refusal of a full queue. */
  const take = async (): Promise<(() => void) | ApiError> => {
    if (running < atOnce) running++
    else if (waiting.length < waitingMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else {
      refused()
      return new ApiError('unavailable', sentence, { 'retry-after': String(RETRY_AFTER_S) })
    }
    let isMine = true
    return () => {
      if (isMine) release()
      isMine = false
    }
  }

  return {
    take,
    /** Does a piece of work in its turn. Others are served between two pieces. */
    run: async <T>(work: () => Promise<T> | T): Promise<T | ApiError> => {
      const done = await take()
      if (done instanceof ApiError) return done
      try {
        await new Promise(setImmediate)
        return await work()
      } finally {
        done()
      }
    },
    /** Work under way, and what waits for it. */
    load: () => ({ running, waiting: waiting.length }),
  }
}

/** Pieces of an answer, made within a turn that ends with the last of them, or when nobody has asked for one for 30 s. */
export async function* withinTurn<T>(done: () => void, pieces: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const piece of pieces) {
      const stalled = setTimeout(done, STALLED_MS)
      try {
        yield piece
      } finally {
        clearTimeout(stalled)
      }
    }
  } finally {
    done()
  }
}
