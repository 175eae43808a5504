import type { ApiError } from '@palanquin/service/http/api-error'
import type { PlainResponse } from '../response.ts'
import { SharedBytes } from './shared-bytes.ts'

/** How long a response is used again: many clients that look at the map request the same megabytes all the time. */
const TTL_MS = 100

/** A map of 50,000 people; a smaller response may wait for the garbage collector. */
const LARGE_BYTES_MIN = 4_194_304

type Result = PlainResponse | ApiError
/** `bytes`: the body of the result, where it is large. */
type Loaded = { result: Result; bytes?: SharedBytes }

/**
 * Responses that are the same for every client, loaded once for all that request them at the same time. A failure is shared as
 * well, so that a service that is down is not called by each of them. A stream is for its first reader alone, which
 * `memoize` does not know.
 */
export class SharedReads {
  readonly #known = new Map<string, Promise<Loaded>>()

  /** `load` must not reject. */
  async read(key: string, load: () => Promise<Result>): Promise<Result> {
    const known = this.#known.get(key)
    if (known) {
      const loaded = await known
      return isStream(loaded.result) ? load() : forOne(loaded)
    }
    const loading = load().then(shareable)
    this.#known.set(key, loading)
    const loaded = await loading
    const forget = () => {
      this.#known.delete(key)
      loaded.bytes?.close()
    }
    const { result } = loaded
    if ('body' in result && result.status === 200 && !isStream(result)) setTimeout(forget, TTL_MS)
    else forget()
    return forOne(loaded)
  }
}

const isStream = (result: Result): boolean => 'body' in result && result.body instanceof ReadableStream

const forOne = ({ result, bytes }: Loaded): Result =>
  bytes && 'body' in result ? { ...result, ...bytes.read() } : result

/** Bytes that many responses can share without a copy each. Those read are given back at once: a map may be 20 MB. */
function shareable(result: Result): Loaded {
  if (!('body' in result) || !(result.body instanceof ArrayBuffer)) return { result }
  const { body, status } = result
  if (status === 200 && body.byteLength > LARGE_BYTES_MIN)
    return { result: { ...result, body: null }, bytes: new SharedBytes(body) }
  const blob = new Blob([body])
  body.transfer(0)
  return { result: { ...result, body: blob } }
}
