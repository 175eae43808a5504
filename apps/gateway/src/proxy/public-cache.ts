import type { ApiError } from '@palanquin/service/http/api-error'
import { matchesEtag } from '@palanquin/service/http/etag'
import { singleFlight } from '@palanquin/service/memoize'
import type { PlainResponse } from '../response.ts'

type Known = { response: PlainResponse; atMs: number }
type Result = PlainResponse | ApiError

/**
 * Public responses of one path each, loaded once in `freshMs` for any number of readers. While the service is away the last
 * known response is given; a failure only where there never was one. That is why it is not `memoize`.
 */
export class PublicCache {
  readonly #known = new Map<string, Known>()
  readonly #share = singleFlight<Result>()
  readonly #nowMs: () => number

  constructor({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
    this.#nowMs = nowMs
  }

  /** The response of `path`. A failed load is repeated after `freshMs` at the earliest, where a response is known. */
  async read(
    path: string,
    {
      freshMs,
      ifNoneMatch,
      load,
    }: { freshMs: number; ifNoneMatch: string | null; load: () => Promise<Result> },
  ): Promise<Result> {
    const known = this.#known.get(path)
    if (known && this.#nowMs() - known.atMs < freshMs) return forReader(known.response, ifNoneMatch)
    const result = await this.#share(path, () => this.#load(path, load))
    if (isGood(result)) return forReader(result, ifNoneMatch)
    const before = this.#known.get(path)
    return before ? forReader(before.response, ifNoneMatch) : result
  }

  async #load(path: string, load: () => Promise<Result>): Promise<Result> {
    const result = await whole(await load())
    const response = isGood(result) ? result : this.#known.get(path)?.response
    if (response) this.#known.set(path, { response, atMs: this.#nowMs() })
    return result
  }
}

const isGood = (result: Result): result is PlainResponse => 'body' in result && result.status === 200

/** A stream could be sent to one reader only. */
async function whole(result: Result): Promise<Result> {
  if (!('body' in result && result.body instanceof ReadableStream)) return result
  return { ...result, body: await new Response(result.body).arrayBuffer() }
}

/** RFC 9110, 15.4.5: a 304 has the headers that the 200 would have had, but for those of its body. */
export function forReader(response: PlainResponse, ifNoneMatch: string | null): PlainResponse {
  const { etag, 'content-type': _, 'content-encoding': __, ...headers } = response.headers
  if (response.status !== 200 || etag === undefined || !matchesEtag(ifNoneMatch, etag)) return response
  if (response.body instanceof ReadableStream) void response.body.cancel()
  return { status: 304, headers: { ...headers, etag }, body: null }
}
