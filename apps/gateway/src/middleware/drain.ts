import type { BodyReader } from './body-limit.ts'

/** After a refusal, so much more is read and thrown away: many clients only look for the answer once they sent all. */
const DRAIN_BYTES_MAX = 8 * 1_048_576
const DRAIN_MS_MAX = 2_000
/** A client that sends nothing for so long is waiting for the end of the answer. */
const SILENCE_MS_MAX = 250

/**
 * A refusal's body that is sent at once and ends, and with it the connection, when the client has stopped sending or
 * has sent DRAIN_BYTES_MAX more. Closing at once would reset the connection under a client that is still sending,
 * and many then never see the 413.
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
  while (bytes < DRAIN_BYTES_MAX && performance.now() < end) {
    const silence = setTimeout(() => void rest.cancel().catch(() => {}), SILENCE_MS_MAX)
    try {
      const { done, value } = await rest.read()
      if (done || !value) return
      bytes += value.byteLength
    } catch {
      return // the client is gone: nobody waits for the rest of the answer
    } finally {
      clearTimeout(silence)
    }
  }
  await rest.cancel().catch(() => {})
}
