import type { KeyHash } from '../memory/key-hash.ts'

/** 768 KB of text: what comes in a quarter of a second, ten times over. */
const CALLS_MAX = 2 ** 15
const WORDS_PER_CALL = 3
/** Of the third word: the call does not count. */
const BACK = 2 ** 31
/** A call that is taken back is of minutes ago: the third word is never negative. */
const ZERO_US = 2 ** 30
const US_PER_MS = 1_000

export type LoggedCall = {
  key: KeyHash
  /** In µs of the clock of the gateway that admitted it. */
  atUs: number
  isBack: boolean
  /** How long before it was logged. */
  agoMs: number
}

/**
 * Calls that are logged together. As text: the time of the first, that of the log entry, both in whole µs of the gateway's clock, and 12 bytes a
 * call in base64: its hash, and how many µs after the first one it was.
 */
export class LoggedCalls {
  readonly kept: Promise<void>
  readonly resolve: () => void
  #words = new Uint32Array(64 * WORDS_PER_CALL)
  #count = 0
  #baseUs = 0

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.kept = promise
    this.resolve = resolve
  }

  get count(): number {
    return this.#count
  }

  /** Whether there was room. */
  add(key: KeyHash, atMs: number): boolean {
    return this.#write(key, wholeUs(atMs), 0)
  }

  takeBack(key: KeyHash, atMs: number): boolean {
    return this.#write(key, wholeUs(atMs), BACK)
  }

  toText(nowMs: number): string {
    const bytes = Buffer.from(this.#words.buffer, 0, this.#count * WORDS_PER_CALL * 4)
    return `${this.#baseUs} ${wholeUs(nowMs)} ${bytes.toString('base64')}`
  }

  #write({ hi, lo }: KeyHash, atUs: number, back: number): boolean {
    if (this.#count === CALLS_MAX) return false
    if (this.#count === 0) this.#baseUs = atUs
    const at = this.#count++ * WORDS_PER_CALL
    if (at === this.#words.length) {
      const longer = new Uint32Array(at * 2)
      longer.set(this.#words)
      this.#words = longer
    }
    this.#words[at] = hi
    this.#words[at + 1] = lo
    this.#words[at + 2] = atUs - this.#baseUs + ZERO_US + back
    return true
  }
}

/** The calls of such a text, in their order. */
export function* readLogged(text: string): Generator<LoggedCall> {
  const [base, sent, encoded = ''] = text.split(' ')
  const baseUs = Number(base)
  const sentUs = Number(sent)
  // A copy begins at a multiple of four bytes, which a slice of the pool of buffers need not.
  const words = new Uint32Array(Uint8Array.from(Buffer.from(encoded, 'base64')).buffer)
  for (let at = 0; at + 2 < words.length; at += WORDS_PER_CALL) {
    const third = words[at + 2] ?? 0
    const isBack = third >= BACK
    const atUs = baseUs + third - ZERO_US - (isBack ? BACK : 0)
    yield {
      key: { hi: words[at] ?? 0, lo: words[at + 1] ?? 0 },
      atUs,
      isBack,
      agoMs: (sentUs - atUs) / US_PER_MS,
    }
  }
}

const wholeUs = (ms: number): number => Math.round(ms * US_PER_MS)
