import type { ApiError } from '@palanquin/service/http/api-error'
import type { PlainResponse } from '../response.ts'

/** How long a response is used again: many clients that look at the map request the same megabytes all the time. */
const TTL_MS = 100

/** A map of 50,000 people. */
const COLLECTED_BYTES_MIN = 4_194_304
/** The heap of a busy gateway takes some 50 ms to walk over, mostly beside it. */
const COLLECT_EVERY_MS = 3_000

type Result = PlainResponse | ApiError

/**
 * Responses that are the same for every client, loaded once for all that request them at the same time. A failure is shared as
 * well, so that a service that is down is not called by each of them. A stream is for its first reader alone, which
 * `memoize` does not know.
 */
export class SharedReads {
  readonly #known = new Map<string, Promise<Result>>()

  #collectedAt = Number.NEGATIVE_INFINITY

  /** The bytes of a large response are garbage that the collector sees no hurry to find: seven maps stayed. */
  #collect(): void {
    if (performance.now() - this.#collectedAt < COLLECT_EVERY_MS) return
    this.#collectedAt = performance.now()
    Bun.gc(false)
  }

  /** `load` must not reject. */
  async read(key: string, load: () => Promise<Result>): Promise<Result> {
    const known = this.#known.get(key)
    if (known) {
      const result = await known
      return isStream(result) ? load() : result
    }
    const loading = load().then(asBlob)
    this.#known.set(key, loading)
    const result = await loading
    const forget = () => {
      this.#known.delete(key)
      if (bytesOf(result) > COLLECTED_BYTES_MIN) this.#collect()
    }
    if ('body' in result && result.status === 200 && !isStream(result)) setTimeout(forget, TTL_MS)
    else forget()
    return result
  }
}

const isStream = (result: Result): boolean => 'body' in result && result.body instanceof ReadableStream

const bytesOf = (result: Result): number =>
  'body' in result && result.body instanceof Blob ? result.body.size : 0

/** Bytes that many responses can share without a copy each. Those read are given back at once: a map may be 20 MB. */
function asBlob(result: Result): Result {
  if (!('body' in result) || !(result.body instanceof ArrayBuffer)) return result
  const body = new Blob([result.body])
  result.body.transfer(0)
  return { ...result, body }
}
