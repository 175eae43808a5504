import { type Relayed, relay } from './relay.ts'

/** What a reader has in memory of its own. */
const CHUNK_BYTES = 131_072

/**
 * The bytes of a large response for any number of readers, without a copy for each, which are given back when the last reader
 * has ended. A `Blob` would do as well, but its bytes go when the collector comes by: six maps of 23 MB were waiting for it.
 */
export class SharedBytes {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #readers = 0
  #isClosed = false

  constructor(bytes: ArrayBuffer) {
    this.#bytes = new Uint8Array(bytes)
  }

  /** A body for one more reader; not after `close`. */
  read(): { body: ReadableStream<Uint8Array<ArrayBuffer>>; relayed: Relayed } {
    const bytes = this.#bytes
    this.#readers++
    let at = 0
    const chunks = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => {
          // The end is said when the last chunk was taken: the bytes may go then.
          if (at >= bytes.length) return controller.close()
          controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES))
          at += CHUNK_BYTES
        },
      },
      { highWaterMark: 0 },
    )
    const { body, relayed } = relay(chunks, { abort: () => {}, bytes: bytes.length, source: this })
    relayed.watch({
      ended: () => {
        this.#readers--
        this.#giveBack()
      },
    })
    return { body, relayed }
  }

  /** No further reader comes. */
  close(): void {
    this.#isClosed = true
    this.#giveBack()
  }

  #giveBack(): void {
    if (this.#isClosed && this.#readers === 0) this.#bytes.buffer.transfer(0)
  }
}
