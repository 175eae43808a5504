import { type BodyReader, isChopped } from './body-limit.ts'

/** Discarded after an error at most: many clients read the response only once they have sent everything. */
const DRAIN_BYTES_MAX = 8 * 1_048_576
const DRAIN_MS_MAX = 2_000
/** A client that is silent for so long waits for the end of the response. */
const IDLE_MS_MAX = 250

/**
 * The body of an error, sent at once. It ends, and with it the connection, when the client has stopped sending or has
 * sent DRAIN_BYTES_MAX more: closing at once resets the connection, and many clients then never see the 413.
 */
export function drainingBody(text: string, rest: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode(text))
      await drain(rest)
      controller.close()
    },
  })
}

async function drain(rest: BodyReader): Promise<void> {
  const end = performance.now() + DRAIN_MS_MAX
  let bytes = 0
  for (let reads = 0; bytes < DRAIN_BYTES_MAX && performance.now() < end; reads++) {
    if (isChopped({ chunks: reads, bytes })) break
    const idle = setTimeout(() => void rest.cancel().catch(() => {}), IDLE_MS_MAX)
    try {
      const { done, value } = await rest.read()
      if (done || !value) return
      bytes += value.byteLength
    } catch {
      return // the client is gone, and nothing is left to drain
    } finally {
      clearTimeout(idle)
    }
  }
  await rest.cancel().catch(() => {})
}
