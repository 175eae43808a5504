import type { ApiError } from '@palanquin/service/http/api-error'
import { singleFlight } from '@palanquin/service/memoize'
import QuickLRU from 'quick-lru'
import { Asset } from '../prebuilt/asset.ts'
import type { PrebuiltResponse } from '../prebuilt/prebuilt-response.ts'
import type { PlainResponse } from '../response.ts'

type Known = { asset: Asset; atMs: number }
type Result = PlainResponse | ApiError

/** Responses that are kept, some 40 kB each, and paths: a screen has ten tiles of a map, and what is read all the time stays. */
const KEYS_MAX = 250

/**
 * Public responses of one path and query each, loaded once in `freshMs` for any number of readers, and compressed once
 * for all paths and times that have the same bytes by their ETag. While the service is away the last known response is given; a failure only where there never was
 * one. That is why it is not `memoize`.
 */
export class PublicCache {
  readonly #known = new QuickLRU<string, Known>({ maxSize: KEYS_MAX })
  readonly #assets = new QuickLRU<string, Asset>({ maxSize: KEYS_MAX })
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
    const known = this.#fresh(target, freshMs)
    if (known) return known.respond(reader)
    const result = await this.#share(target, () => this.#load(target, load))
    return 'atMs' in result ? result.asset.respond(reader) : result
  }

  /** The same, if it needs neither a load nor a compression. */
  prebuilt(
    target: string,
    { freshMs, reader }: { freshMs: number; reader: Headers },
  ): PrebuiltResponse | undefined {
    return this.#fresh(target, freshMs)?.prebuilt(reader)
  }

  #fresh(target: string, freshMs: number): Asset | undefined {
    const known = this.#known.get(target)
    return known && this.#nowMs() - known.atMs < freshMs ? known.asset : undefined
  }

  async #load(target: string, load: () => Promise<Result>): Promise<Known | Result> {
    const result = await load()
    const asset = isGood(result) ? await this.#assetOf(result) : this.#known.get(target)?.asset
    if (asset === undefined || !(isGood(result) || isAway(result))) {
      this.#known.delete(target)
      return result
    }
    const known = { asset, atMs: this.#nowMs() }
    this.#known.set(target, known)
    return known
  }

  /** The one that is kept with the same headers, the ETag among them. */
  async #assetOf({ headers, body }: PlainResponse): Promise<Asset> {
    const bytes = new Uint8Array(await new Response(body).arrayBuffer())
    const key = JSON.stringify(headers)
    const asset = (headers.etag && this.#assets.get(key)) || new Asset(bytes, headers)
    this.#assets.set(key, asset)
    return asset
  }
}

const isGood = (result: Result): result is PlainResponse => 'body' in result && result.status === 200
/** Unlike a 404: what was deleted is not given any more. */
const isAway = (result: Result): boolean => !('body' in result) || result.status >= 500
