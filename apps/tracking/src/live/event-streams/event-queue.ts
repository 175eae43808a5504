/** So many bytes of an event are handed to the connection at a time; the rest stays shared by all who are sent it. */
const SLICE_BYTES = 65_536

/**
 * The body of one event stream: events that wait, in shared bytes, and are handed on in slices as the reader takes them. What
 * one connection holds by itself is a slice.
 */
export function eventQueue({ onLeave }: { onLeave: () => void }) {
  const waiting: Uint8Array[] = []
  let offset = 0
  let ended = false
  let takenAt = 0
  let looks = 0
  let wake = () => {}
  let finish = (_error?: Error): void => {}

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        finish = (error) => {
          if (ended) return
          ended = true
          waiting.length = 0
          if (error) controller.error(error)
          else controller.close()
          wake()
        }
      },
      pull: async (controller) => {
        while (waiting.length === 0 && !ended)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        const [event] = waiting
        if (!event) return
        const slice = event.subarray(offset, offset + SLICE_BYTES)
        offset += slice.length
        if (offset >= event.length) {
          waiting.shift()
          offset = 0
        }
        takenAt = looks
        controller.enqueue(slice)
      },
      cancel: () => {
        ended = true
        waiting.length = 0
        wake()
        onLeave()
      },
    },
    { highWaterMark: 0 },
  )

  return {
    body,
    push: (event: Uint8Array): void => {
      if (waiting.length === 0) takenAt = looks
      waiting.push(event)
      wake()
    },
    /** Events that the reader has not taken whole. */
    length: (): number => waiting.length,
    /** How often this was asked since the reader last took something, while there is something to take. */
    stalledTicks: (): number => {
      looks++
      return waiting.length === 0 ? 0 : looks - takenAt
    },
    /** Nothing more comes; what was not taken is dropped. */
    end: (): void => finish(),
    /** The same, for a reader that takes nothing: the connection is broken off. */
    breakOff: (): void => finish(new Error('the reader takes nothing')),
  }
}
