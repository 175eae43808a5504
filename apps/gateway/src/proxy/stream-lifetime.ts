const NEWLINE = 10
/** After the end of a stream its client comes back within this time: all at once they would be a rush of their own. */
const RETRY_MS = { from: 1_000, to: 10_000 }
/** Streams that began together end apart: by so much of their age before or after. */
const AGE_SPREAD = 0.2
/** The service comments every five seconds; without a word for longer a stream that has grown old ends all the same. */
const LAST_EVENT_MS_MAX = 15_000

/** When an event stream has grown old, and how it ends: between two events, with the time after which to come back. */
export class StreamLifetime {
  readonly #random: () => number
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #oldAtMs: number
  #newlines = 2

  /** `giveUp` is called where no event has ended the stream by itself. */
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

  /** Whether it should end where it is. */
  get isDue(): boolean {
    return this.isBetweenEvents && performance.now() >= this.#oldAtMs
  }

  /** Whether everything that was passed on are whole events. */
  get isBetweenEvents(): boolean {
    return this.#newlines >= 2
  }

  /** Takes note of what was passed on. */
  passed(bytes: Uint8Array): void {
    for (let at = Math.max(0, bytes.length - 2); at < bytes.length; at++)
      this.#newlines = bytes[at] === NEWLINE ? this.#newlines + 1 : 0
  }

  /** The last event: EventSource waits for so long before it comes back. */
  farewell(): Uint8Array<ArrayBuffer> {
    const { from, to } = RETRY_MS
    return new TextEncoder().encode(`retry: ${Math.round(from + (to - from) * this.#random())}\n\n`)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
