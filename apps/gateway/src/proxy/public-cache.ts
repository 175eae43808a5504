import type { ApiError } from '@palanquin/service/http/api-error'
import { singleFlight } from '@palanquin/service/memoize'
import QuickLRU from 'quick-lru'
import type { PlainResponse } from '../response.ts'
import { PublicResponse } from './public-response.ts'

type Known = { response: PublicResponse; atMs: number }
type Result = PlainResponse | ApiError

/** Responses that are kept, some 40 kB each: a screen has ten tiles of a map, and what is read all the time stays. */
const KEYS_MAX = 250

/**
 * Public responses of one path and query each, loaded once in `freshMs` for any number of readers, and compressed once as
 * long as their ETag stays. While the service is away the last known response is given; a failure only where there never was
 * one. That is why it is not `memoize`.
 */
export class PublicCache {
  readonly #known = new QuickLRU<string, Known>({ maxSize: KEYS_MAX })
  readonly #share = singleFlight<Known | Result>()
  readonly #nowMs: () => number

  constructor({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
    this.#nowMs = nowMs
  }

  /** The response of `target`. A failed load is repeated after `freshMs` at the earliest, where a response is known. */
  async read(
    target: string,
    { freshMs, reader, load }: { freshMs: number; reader: Headers; load: () => Promise<Result> },
  ): Promise<Result> {
    const known = this.#known.get(target)
    if (known && this.#nowMs() - known.atMs < freshMs) return known.response.for(reader)
    const result = await this.#share(target, () => this.#load(target, load))
    return 'atMs' in result ? result.response.for(reader) : result
  }

  async #load(target: string, load: () => Promise<Result>): Promise<Known | Result> {
    const result = await whole(await load())
    const before = this.#known.get(target)?.response
    const response = isGood(result) ? (before?.orNewer(result) ?? new PublicResponse(result)) : before
    if (response === undefined || !(isGood(result) || isAway(result))) {
      this.#known.delete(target)
      return result
    }
    const known = { response, atMs: this.#nowMs() }
    this.#known.set(target, known)
    return known
  }
}

const isGood = (result: Result): result is PlainResponse => 'body' in result && result.status === 200
/** Unlike a 404: what was deleted is not given any more. */
const isAway = (result: Result): boolean => !('body' in result) || result.status >= 500

/** A stream could be sent to one reader only. */
async function whole(result: Result): Promise<Result> {
  if (!('body' in result && result.body instanceof ReadableStream)) return result
  return { ...result, body: await new Response(result.body).arrayBuffer() }
}
