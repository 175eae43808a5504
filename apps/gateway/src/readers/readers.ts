import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { PlainResponse } from '../response.ts'
import { type Reader, relayedReader, type Server, SLOW_MS, wholeReader } from './reader.ts'
import { Unread } from './unread.ts'

/** Contract: a response without progress for 15 s is closed. */
const STALLED_MS_MAX = 15_000
/** A body up to this fits into the kernel's buffer for a connection and takes no memory here. */
export const SMALL_BYTES_MAX = 65_536
/** How often readers that have finished or stalled are looked for. */
const SWEEP_MS = 250

const full = new ApiError('unavailable', 'Too much is being read right now. Please try again in a moment.', {
  'retry-after': '4',
})
const fullAtAddress = new ApiError(
  'unavailable',
  'Too many large answers to your address have not been read yet. Please read them, then try again.',
  { 'retry-after': '15' },
)

/**
 * Large responses while clients read them: their bytes in memory are bounded by address and in all, and clients that do not
 * read are dropped. Small responses pass.
 */
export class Readers {
  readonly #unread: Unread
  readonly #stalledMsMax: number
  readonly #nowMs: () => number
  readonly #readers = new Map<Reader, { isCounted: boolean }>()
  readonly #dropped = { stalled: 0, pressed: 0, refused: 0 }
  #timer: ReturnType<typeof setInterval> | undefined
  /** Set by `listen`. */
  server: Server | undefined

  constructor({
    unread = new Unread(),
    stalledMsMax = STALLED_MS_MAX,
    nowMs = () => performance.now(),
  }: { unread?: Unread; stalledMsMax?: number; nowMs?: () => number } = {}) {
    this.#unread = unread
    this.#stalledMsMax = stalledMsMax
    this.#nowMs = nowMs
  }

  get unreadBytes(): number {
    return this.#unread.bytes
  }

  get count(): number {
    return this.#readers.size
  }

  /** Readers dropped since the start because they stalled or their memory was needed, and those refused. */
  get dropped(): Readonly<Record<'stalled' | 'pressed' | 'refused', number>> {
    return this.#dropped
  }

  /** The response as it is to be sent; 503 where the client's address, or all clients together, have too much unread. */
  admit(request: Request, response: PlainResponse, client: () => string): PlainResponse | ApiError {
    const { body, relayed } = response
    if (request.method === 'HEAD' || !this.server) return response
    const nowMs = this.#nowMs
    if (relayed) {
      const changed = () => this.#count(reader)
      const reader = relayedReader({ relayed, address: countedAs(client()), nowMs, changed })
      const apiError = this.#enter(reader)
      if (apiError) relayed.drop()
      return apiError ?? response
    }
    if (body === null || body instanceof ReadableStream || sizeOf(body) <= SMALL_BYTES_MAX) return response
    const blob = body instanceof Blob ? body : new Blob([body])
    const address = countedAs(client())
    const apiError = this.#enter(wholeReader({ server: this.server, request, address, body: blob, nowMs }))
    return apiError ?? { ...response, body: blob }
  }

  #enter(reader: Reader): ApiError | undefined {
    const apiError = reader.isWaiting ? this.#errorOf(reader) : undefined
    if (apiError) {
      this.#dropped.refused++
      return apiError
    }
    this.#readers.set(reader, { isCounted: false })
    this.#count(reader)
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS)
    return undefined
  }

  #errorOf({ address, body, bytes }: Reader): ApiError | undefined {
    if (this.#unread.capacityFor(address, body, bytes) !== 'yes') this.#sweep() // some may have finished
    const capacity = this.#unread.capacityFor(address, body, bytes)
    if (capacity === 'yes') return undefined
    if (capacity === 'none at its address') return fullAtAddress
    this.#reclaim()
    return full
  }

  /** Updates the unread bytes for one reader. */
  #count(reader: Reader): void {
    const state = this.#readers.get(reader)
    if (!state) return
    const { address, body, bytes, isWaiting, hasEnded } = reader
    const waits = isWaiting && !hasEnded
    if (waits && !state.isCounted) {
      if (this.#unread.capacityFor(address, body, bytes) === 'none') this.#reclaim()
      this.#unread.add(address, body, bytes)
    }
    if (!waits && state.isCounted) this.#unread.remove(address, body, bytes)
    state.isCounted = waits
    if (hasEnded) this.#forget(reader)
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader)
    if (reader.hasStalled) this.#dropped.stalled++
    if (this.#readers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    for (const reader of this.#readers.keys())
      if (reader.hasEnded) this.#count(reader)
      else reader.limit(this.#stalledMsMax)
  }

  /** Memory is full: the address with most unread bytes frees it, as far as its clients make no progress. */
  #reclaim(): void {
    const largest = this.#unread.largest()
    const nowMs = this.#nowMs()
    for (const [reader, { isCounted }] of this.#readers) {
      if (!isCounted || reader.address !== largest || nowMs - reader.sinceMs < SLOW_MS) continue
      this.#dropped.pressed++
      reader.reclaim()
    }
  }
}

/** In bytes; of a text its length, which is a lower bound. */
const sizeOf = (body: string | Blob | ArrayBuffer | Uint8Array): number => {
  if (typeof body === 'string') return body.length
  return body instanceof Blob ? body.size : body.byteLength
}
