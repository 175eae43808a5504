/** Bytes of services' bodies being read whole at one time; beyond it bodies are passed on as they come. */
const READING_BYTES_MAX = 64 * 1_048_576

/** Bounds the bodies of services that are read whole into memory, before a client can read them. */
export class WholeBodies {
  #bytes = 0

  /** The body, if its length is known, at most `bytesMax`, and memory to read it is free. */
  async read(response: Response, bytesMax: number): Promise<ArrayBuffer | undefined> {
    const bytes = Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
    if (bytes > bytesMax || (this.#bytes > 0 && this.#bytes + bytes > READING_BYTES_MAX)) return undefined
    this.#bytes += bytes
    try {
      return await response.arrayBuffer()
    } finally {
      this.#bytes -= bytes
    }
  }
}
