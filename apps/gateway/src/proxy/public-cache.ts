import type { ApiError } from '@palanquin/service/http/api-error'
import { matchesEtag } from '@palanquin/service/http/etag'
import type { PlainResponse } from '../answer.ts'

type Known = { answer: PlainResponse; atMs: number }
type Result = PlainResponse | ApiError

/**
 * Public answers of one path each, made once in `freshMs` however many ask, and given again while the service is away: what
 * was last known is better than nothing. A failure is given only where nothing was ever known.
 */
export class PublicCache {
  readonly #known = new Map<string, Known>()
  readonly #asking = new Map<string, Promise<Result>>()
  readonly #nowMs: () => number

  constructor({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
    this.#nowMs = nowMs
  }

  /** The answer of `path`; a rejection of `ask` is given to who waits for it. */
  async read(
    path: string,
    {
      freshMs,
      ifNoneMatch,
      ask,
    }: { freshMs: number; ifNoneMatch: string | null; ask: () => Promise<Result> },
  ): Promise<Result> {
    const known = this.#known.get(path)
    if (known && this.#nowMs() - known.atMs < freshMs) return forReader(known.answer, ifNoneMatch)
    const result = await this.#refresh(path, ask)
    if (isGood(result)) return forReader(result, ifNoneMatch)
    const before = this.#known.get(path)
    return before ? forReader(before.answer, ifNoneMatch) : result
  }

  /** Asked once by all who ask at the same time; after a failure again after `freshMs` at the earliest. */
  #refresh(path: string, ask: () => Promise<Result>): Promise<Result> {
    const asking = this.#asking.get(path)
    if (asking) return asking
    const asked = this.#learn(path, ask).finally(() => this.#asking.delete(path))
    this.#asking.set(path, asked)
    return asked
  }

  async #learn(path: string, ask: () => Promise<Result>): Promise<Result> {
    const result = await whole(await ask())
    const answer = isGood(result) ? result : this.#known.get(path)?.answer
    if (answer) this.#known.set(path, { answer, atMs: this.#nowMs() })
    return result
  }
}

const isGood = (result: Result): result is PlainResponse => 'body' in result && result.status === 200

/** A stream could be given once only. */
async function whole(result: Result): Promise<Result> {
  if (!('body' in result && result.body instanceof ReadableStream)) return result
  return { ...result, body: await new Response(result.body).arrayBuffer() }
}

/** RFC 9110, 15.4.5: a 304 has the headers that the 200 would have had, but for those of its body. */
function forReader(answer: PlainResponse, ifNoneMatch: string | null): PlainResponse {
  const { etag, 'content-type': _, ...headers } = answer.headers
  if (etag === undefined || !matchesEtag(ifNoneMatch, etag)) return answer
  return { status: 304, headers: { ...headers, etag }, body: null }
}
