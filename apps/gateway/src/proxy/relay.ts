import type { StreamLifetime } from './stream-lifetime.ts'

/** A body without a byte for so long is given up. */
const IDLE_MS_MAX = 30_000

type Bytes = Uint8Array<ArrayBuffer>
/** Observes how the client reads a body. */
export type Watcher = {
  /** A chunk waits for the client. */
  sent?: () => void
  /** The client has read it. */
  read?: () => void
  ended: () => void
}
/** A body that is passed on as it comes. */
export type Relayed = {
  /** As its service announced them. */
  bytes: number | undefined
  /** The same object for all bodies of the same bytes in memory. */
  source?: object | undefined
  watch: (watcher: Watcher) => void
  /** Ends it towards both sides. */
  drop: () => void
}

/**
 * Passes a service's body on as the client reads it: while the client reads nothing, nothing more is read here. `lifetime` is
 * for an event stream, which may be silent; any other body is given up after half a minute without a byte.
 */
export function relay(
  body: ReadableStream<Bytes>,
  {
    abort,
    bytes,
    source,
    lifetime,
  }: {
    abort: () => void
    bytes?: number | undefined
    source?: object | undefined
    lifetime?: StreamLifetime | undefined
  },
): { body: ReadableStream<Bytes>; relayed: Relayed } {
  const reader = body.getReader()
  const watchers: Watcher[] = []
  let client: ReadableStreamDefaultController<Bytes> | undefined
  let hasEnded = false

  const end = () => {
    if (hasEnded) return
    hasEnded = true
    lifetime?.stop()
    for (const { ended } of watchers) ended()
  }
  const next = async () => {
    const timer = lifetime ? undefined : setTimeout(abort, IDLE_MS_MAX)
    try {
      return await reader.read()
    } finally {
      clearTimeout(timer)
    }
  }
  /** Ends the body cleanly; an event stream with an event that says when to reconnect. */
  const finish = (controller: ReadableStreamDefaultController<Bytes>) => {
    if (lifetime?.isBetweenEvents) controller.enqueue(lifetime.finalEvent())
    controller.close()
    end()
  }
  const passed = new ReadableStream<Bytes>(
    {
      start: (controller) => {
        client = controller
      },
      pull: async (controller) => {
        for (const { read } of watchers) read?.()
        try {
          const { done, value } = await next()
          if (hasEnded) return
          if (done) return finish(controller)
          controller.enqueue(value)
          lifetime?.passed(value)
          for (const { sent } of watchers) sent?.()
          if (!lifetime?.isDue) return
          finish(controller)
          abort()
        } catch (error) {
          if (hasEnded) return
          if (lifetime?.isBetweenEvents) return finish(controller)
          // The headers are out: the client sees a body that breaks off.
          controller.error(error)
          end()
        }
      },
      cancel: () => {
        end()
        abort()
      },
    },
    // Nothing is read ahead of the client.
    { highWaterMark: 0 },
  )
  const drop = () => {
    if (hasEnded) return
    end()
    client?.error(new Error('the reader was dropped'))
    abort()
  }
  return { body: passed, relayed: { bytes, source, watch: (watcher) => void watchers.push(watcher), drop } }
}
