const NEWLINE = 10
/** Clients reconnect within this time after the end of a stream, spread so that they do not all come at once. */
const RETRY_MS = { from: 1_000, to: 10_000 }
/** Streams that began together end apart: by this share of their age earlier or later. */
const AGE_SPREAD = 0.2
/** The service sends a comment every five seconds; without one an old stream ends after this time. */
const LAST_EVENT_MS_MAX = 15_000

/** When an event stream ends, and how: between two events, with the time after which to reconnect. */
export class StreamLifetime {
  readonly #random: () => number
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #oldAtMs: number
  #newlines = 2

  /** `giveUp` is called where the stream could not end after an event. */
  constructor({
    ageMs,
    giveUp,
    random = Math.random,
  }: {
    ageMs: number
    giveUp: () => void
    random?: () => number
  }) {
    const ownAgeMs = ageMs * (1 - AGE_SPREAD + 2 * AGE_SPREAD * random())
    this.#random = random
    this.#oldAtMs = performance.now() + ownAgeMs
    this.#timer = setTimeout(giveUp, ownAgeMs + LAST_EVENT_MS_MAX)
  }

  /** Whether the stream should end now. */
  get isDue(): boolean {
    return this.isBetweenEvents && performance.now() >= this.#oldAtMs
  }

  /** Whether only whole events were passed on so far. */
  get isBetweenEvents(): boolean {
    return this.#newlines >= 2
  }

  /** Follows what is passed on. */
  passed(bytes: Uint8Array): void {
    for (let at = Math.max(0, bytes.length - 2); at < bytes.length; at++)
      this.#newlines = bytes[at] === NEWLINE ? this.#newlines + 1 : 0
  }

  /** The last event: EventSource reconnects after this time. */
  finalEvent(): Uint8Array<ArrayBuffer> {
    const { from, to } = RETRY_MS
    return new TextEncoder().encode(`retry: ${Math.round(from + (to - from) * this.#random())}\n\n`)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
