import type { Platform } from '../platform.ts'

/** A broadcast to thousands is one change to a page. */
const COLLECT_MS = 50
const HEARTBEAT_MS = 15_000

/** Server-sent events: one empty message whenever there is something new to draw. */
export function changes(request: Request, platform: Platform): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      let pending: ReturnType<typeof setTimeout> | undefined
      const stop = platform.onChange(() => {
        pending ??= setTimeout(() => {
          pending = undefined
          send('data: changed\n\n')
        }, COLLECT_MS)
      })
      const heartbeat = setInterval(() => send(': here\n\n'), HEARTBEAT_MS)
      send('data: changed\n\n')
      const end = () => {
        stop()
        clearTimeout(pending)
        clearInterval(heartbeat)
        controller.close()
      }
      request.signal.addEventListener('abort', end, { once: true })
    },
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
}
