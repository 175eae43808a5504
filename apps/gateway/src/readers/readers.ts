import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { PlainResponse } from '../answer.ts'
import { type Reader, relayedReader, type Server, SLOW_MS, wholeReader } from './reader.ts'
import { Unread } from './unread.ts'

/** Contract: a response without progress for 15 s is closed. */
const STALLED_MS_MAX = 15_000
/** Up to this a body fits into what the kernel holds for a connection: it is sent at once and costs nothing here. */
const SMALL_BYTES_MAX = 65_536
/** How often it is seen who has finished and who has stopped. */
const LOOK_MS = 250

const full = new ApiError('unavailable', 'Too much is being read right now. Please try again in a moment.', {
  'retry-after': '4',
})
const fullAtAddress = new ApiError(
  'unavailable',
  'Too many large answers to your address have not been read yet. Please read them, then try again.',
  { 'retry-after': '15' },
)

/**
 * Large answers while clients read them: what waits in memory is bounded by address and in all, and who takes nothing is let
 * go. Small ones pass.
 */
export class Readers {
  readonly #unread: Unread
  readonly #stalledMsMax: number
  readonly #nowMs: () => number
  readonly #readers = new Map<Reader, { isCounted: boolean }>()
  readonly #letGo = { stalled: 0, pressed: 0, refused: 0 }
  #timer: ReturnType<typeof setInterval> | undefined
  /** Set by whoever listens. */
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

  /** Readers that were let go since the start because they stalled or their memory was needed, and those refused. */
  get letGo(): Readonly<Record<'stalled' | 'pressed' | 'refused', number>> {
    return this.#letGo
  }

  /** The answer as it is to be sent; 503 where the client's address, or all clients together, leave too much unread. */
  admit(request: Request, answer: PlainResponse, client: () => string): PlainResponse | ApiError {
    const { body, relayed } = answer
    if (request.method === 'HEAD' || !this.server) return answer
    const nowMs = this.#nowMs
    if (relayed) {
      const changed = () => this.#count(reader)
      const reader = relayedReader({ relayed, address: countedAs(client()), nowMs, changed })
      const apiError = this.#enter(reader)
      if (apiError) relayed.letGo()
      return apiError ?? answer
    }
    if (body === null || body instanceof ReadableStream || sizeOf(body) <= SMALL_BYTES_MAX) return answer
    const blob = body instanceof Blob ? body : new Blob([body])
    const address = countedAs(client())
    const apiError = this.#enter(wholeReader({ server: this.server, request, address, body: blob, nowMs }))
    return apiError ?? { ...answer, body: blob }
  }

  #enter(reader: Reader): ApiError | undefined {
    const apiError = reader.isWaiting ? this.#refusalOf(reader) : undefined
    if (apiError) {
      this.#letGo.refused++
      return apiError
    }
    this.#readers.set(reader, { isCounted: false })
    this.#count(reader)
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS)
    return undefined
  }

  #refusalOf({ address, body, bytes }: Reader): ApiError | undefined {
    if (this.#unread.roomFor(address, body, bytes) !== 'yes') this.#look() // some may have finished
    const room = this.#unread.roomFor(address, body, bytes)
    if (room === 'yes') return undefined
    if (room === 'none at its address') return fullAtAddress
    this.#press()
    return full
  }

  /** Brings the count of what waits up to date for one reader. */
  #count(reader: Reader): void {
    const state = this.#readers.get(reader)
    if (!state) return
    const { address, body, bytes, isWaiting, hasEnded } = reader
    const waits = isWaiting && !hasEnded
    if (waits && !state.isCounted) {
      if (this.#unread.roomFor(address, body, bytes) === 'none') this.#press()
      this.#unread.add(address, body, bytes)
    }
    if (!waits && state.isCounted) this.#unread.remove(address, body, bytes)
    state.isCounted = waits
    if (hasEnded) this.#forget(reader)
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader)
    if (reader.hasStalled) this.#letGo.stalled++
    if (this.#readers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    for (const reader of this.#readers.keys())
      if (reader.hasEnded) this.#count(reader)
      else reader.limit(this.#stalledMsMax)
  }

  /** Memory is full: whoever leaves most unread makes room, as far as they do not read on. */
  #press(): void {
    const greediest = this.#unread.greediest()
    const nowMs = this.#nowMs()
    for (const [reader, { isCounted }] of this.#readers) {
      if (!isCounted || reader.address !== greediest || nowMs - reader.sinceMs < SLOW_MS) continue
      this.#letGo.pressed++
      reader.press()
    }
  }
}

/** In bytes; of text at least as many as it has characters. */
const sizeOf = (body: string | Blob | ArrayBuffer | Uint8Array): number => {
  if (typeof body === 'string') return body.length
  return body instanceof Blob ? body.size : body.byteLength
}
