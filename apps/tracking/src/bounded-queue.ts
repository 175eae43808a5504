import { ApiError } from '@palanquin/service/http/api-error'
import PQueue from 'p-queue'

/** A full queue stays full for seconds. */
const RETRY_AFTER_S = 2
/** A client that reads nothing for so long loses its slot to the next one. */
const STALLED_MS = 30_000

/** Gives a slot back; further calls have no effect. */
export type Release = () => void

export type BoundedQueue = ReturnType<typeof createBoundedQueue>

/**
 * A bound on costly work: `concurrency` tasks at a time and `waitingMax` behind them; further ones get a 503 with
 * `busyMessage`, and `onBusy` is called.
 */
export function createBoundedQueue({
  concurrency,
  waitingMax,
  busyMessage,
  onBusy = () => {},
}: {
  concurrency: number
  waitingMax: number
  busyMessage: string
  onBusy?: () => void
}) {
  const queue = new PQueue({ concurrency })

  const busy = (): ApiError | null => {
    if (queue.pending < concurrency || queue.size < waitingMax) return null
    onBusy()
    return new ApiError('unavailable', busyMessage, { 'retry-after': String(RETRY_AFTER_S) })
  }

  return {
    /** Runs a task when a slot is free. Other requests are served between two tasks. */
    run: async <T>(task: () => Promise<T> | T): Promise<T | ApiError> =>
      busy() ??
      queue.add(async () => {
        await new Promise(setImmediate)
        return await task()
      }),
    /** Waits for a slot that is the caller's until it is released. */
    acquire: async (): Promise<Release | ApiError> => {
      const full = busy()
      if (full) return full
      const slot = Promise.withResolvers<void>()
      await new Promise<void>((resolve) => {
        void queue.add(() => {
          resolve()
          return slot.promise
        })
      })
      return slot.resolve
    },
  }
}

/** Chunks of a response that releases its slot with the last of them, or when the client reads nothing for 30 s. */
export async function* releaseAfter<T>(release: Release, chunks: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const chunk of chunks) {
      const stalled = setTimeout(release, STALLED_MS)
      try {
        yield chunk
      } finally {
        clearTimeout(stalled)
      }
    }
  } finally {
    release()
  }
}

/** Of a document that is made while it is read, so much is made at a time. */
const SLICE_CHARACTERS = 65_536

/**
 * A bound on documents that are made while they are read: `openMax` at once, of which `concurrency` are worked on. Who reads slowly
 * keeps a place until the gateway drops them, and never the work of others.
 */
export function createDocumentQueue({
  concurrency,
  openMax,
  busyMessage,
}: {
  concurrency: number
  openMax: number
  busyMessage: string
}) {
  const queue = new PQueue({ concurrency })
  let open = 0
  async function* slices(texts: AsyncIterator<string>): AsyncGenerator<string> {
    try {
      for (;;) {
        const { text, isLast } = await queue.add(() => sliceOf(texts))
        if (text !== '') yield text
        if (isLast) return
      }
    } finally {
      open--
      await texts.return?.()
    }
  }
  return {
    /** A document as it is made; it has to be read, or returned. */
    open: (texts: AsyncIterator<string>): AsyncGenerator<string> | ApiError => {
      if (open >= openMax)
        return new ApiError('unavailable', busyMessage, { 'retry-after': String(RETRY_AFTER_S) })
      open++
      return slices(texts)
    },
  }
}

async function sliceOf(texts: AsyncIterator<string>): Promise<{ text: string; isLast: boolean }> {
  let text = ''
  while (text.length < SLICE_CHARACTERS) {
    const piece = await texts.next()
    if (piece.done) return { text, isLast: true }
    text += piece.value
  }
  return { text, isLast: false }
}
