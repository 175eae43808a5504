import type { StreamLifetime } from './stream-lifetime.ts'

/** No byte for so long in the middle of a body, and it is given up. */
const SILENCE_MS_MAX = 30_000

type Bytes = Uint8Array<ArrayBuffer>
/** Who follows how the client takes a body. */
export type Watcher = {
  /** The client has a chunk to take. */
  sent?: () => void
  /** It has taken it. */
  taken?: () => void
  ended: () => void
}
/** A body that is passed on as it comes. */
export type Relayed = {
  /** As many as its service announced. */
  bytes: number | undefined
  watch: (watcher: Watcher) => void
  /** Breaks it off towards both sides. */
  letGo: () => void
}

/**
 * Passes a service's body on as the client takes it: while that takes nothing, nothing more is read. `ending` is for an event
 * stream, which may have nothing to say; any other body is given up after half a minute of silence.
 */
export function relay(
  body: ReadableStream<Bytes>,
  {
    abort,
    bytes,
    ending,
  }: { abort: () => void; bytes?: number | undefined; ending?: StreamLifetime | undefined },
): { body: ReadableStream<Bytes>; relayed: Relayed } {
  const reader = body.getReader()
  const watchers: Watcher[] = []
  let client: ReadableStreamDefaultController<Bytes> | undefined
  let hasEnded = false

  const end = () => {
    if (hasEnded) return
    hasEnded = true
    ending?.stop()
    for (const { ended } of watchers) ended()
  }
  const next = async () => {
    const timer = ending ? undefined : setTimeout(abort, SILENCE_MS_MAX)
    try {
      return await reader.read()
    } finally {
      clearTimeout(timer)
    }
  }
  /** Whole for an event stream between two events, and for any other body that its service has ended. */
  const finish = (controller: ReadableStreamDefaultController<Bytes>) => {
    if (ending?.isBetweenEvents) controller.enqueue(ending.farewell())
    controller.close()
    end()
  }
  const passed = new ReadableStream<Bytes>(
    {
      start: (controller) => {
        client = controller
      },
      pull: async (controller) => {
        for (const { taken } of watchers) taken?.()
        try {
          const { done, value } = await next()
          if (hasEnded) return
          if (done) return finish(controller)
          controller.enqueue(value)
          ending?.passed(value)
          for (const { sent } of watchers) sent?.()
          if (!ending?.isDue) return
          finish(controller)
          abort()
        } catch (error) {
          if (hasEnded) return
          if (ending?.isBetweenEvents) return finish(controller)
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
    // What the client has not taken is not followed by more.
    { highWaterMark: 0 },
  )
  const letGo = () => {
    if (hasEnded) return
    end()
    client?.error(new Error('let go of a reader'))
    abort()
  }
  return { body: passed, relayed: { bytes, watch: (watcher) => void watchers.push(watcher), letGo } }
}
