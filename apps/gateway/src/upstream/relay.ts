/** No byte for so long in the middle of a body, and it is given up. */
const SILENCE_MS_MAX = 30_000

/**
 * Passes a service's body on as it comes. `onEnd` is called once, when it has ended, broken or the client has gone;
 * `silenceMsMax: Infinity` for event streams, which may have nothing to say.
 */
export function relay(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  {
    abort,
    onEnd,
    silenceMsMax = SILENCE_MS_MAX,
  }: { abort: () => void; onEnd: () => void; silenceMsMax?: number },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    onEnd()
  }
  const next = async () => {
    const timer = Number.isFinite(silenceMsMax) ? setTimeout(abort, silenceMsMax) : undefined
    try {
      return await reader.read()
    } finally {
      clearTimeout(timer)
    }
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      try {
        const { done, value } = await next()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (error) {
        // The headers are out: the client sees a body that breaks off.
        end()
        controller.error(error)
      }
    },
    cancel: () => {
      end()
      abort()
    },
  })
}
