import type { ApiError } from '@palanquin/service/http/api-error'
import type { PlainResponse } from '../response.ts'

/** How long a response is used again: many clients that look at the map request the same megabytes all the time. */
const TTL_MS = 100

type Result = PlainResponse | ApiError

/**
 * Responses that are the same for every client, loaded once for all that request them at the same time. A failure is shared as
 * well, so that a service that is down is not called by each of them. A stream is for its first reader alone, which
 * `memoize` does not know.
 */
export class SharedReads {
  readonly #known = new Map<string, Promise<Result>>()

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
    const forget = () => void this.#known.delete(key)
    if ('body' in result && result.status === 200 && !isStream(result)) setTimeout(forget, TTL_MS)
    else forget()
    return result
  }
}

const isStream = (result: Result): boolean => 'body' in result && result.body instanceof ReadableStream

/** Bytes that many responses can share without a copy each. */
const asBlob = (result: Result): Result =>
  'body' in result && result.body instanceof ArrayBuffer
    ? { ...result, body: new Blob([result.body]) }
    : result
