/** An event is handed to the connection in slices of this many bytes; the rest stays shared by all streams. */
const SLICE_BYTES = 65_536

/**
 * The body of one event stream. Queued events are shared bytes, so that a connection of its own holds one slice.
 * `onCancel` is called when the client closes the connection.
 */
export function createEventQueue({ onCancel }: { onCancel: () => void }) {
  const queued: Uint8Array[] = []
  let offset = 0
  let ended = false
  let readAtTick = 0
  let ticks = 0
  let wake = () => {}
  let finish = (_error?: Error): void => {}

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        finish = (error) => {
          if (ended) return
          ended = true
          queued.length = 0
          if (error) controller.error(error)
          else controller.close()
          wake()
        }
      },
      pull: async (controller) => {
        while (queued.length === 0 && !ended)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        const [event] = queued
        if (!event) return
        const slice = event.subarray(offset, offset + SLICE_BYTES)
        offset += slice.length
        if (offset >= event.length) {
          queued.shift()
          offset = 0
        }
        readAtTick = ticks
        controller.enqueue(slice)
      },
      cancel: () => {
        ended = true
        queued.length = 0
        wake()
        onCancel()
      },
    },
    { highWaterMark: 0 },
  )

  return {
    body,
    push: (event: Uint8Array): void => {
      if (queued.length === 0) readAtTick = ticks
      queued.push(event)
      wake()
    },
    /** Events that the client has not read whole. */
    length: (): number => queued.length,
    /** How many calls of this ago the client last read, while there is something to read; 0 otherwise. */
    stalledTicks: (): number => {
      ticks++
      return queued.length === 0 ? 0 : ticks - readAtTick
    },
    /** Ends the stream; queued events are dropped. */
    end: (): void => finish(),
    /** Ends the stream with an error, which closes the connection of a client that reads nothing. */
    abort: (): void => finish(new Error('the client reads nothing')),
  }
}
