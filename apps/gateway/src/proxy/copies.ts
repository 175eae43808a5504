import type { Address } from './address.ts'

/** A copy that could not be reached, or that is about to stop, is left out for so long, unless no other is left. */
const REST_MS = 1_000

export type Copy = { readonly address: Address; busy: number; restsUntilMs: number }

/** The copies of one service: the least busy one is asked, in turn where they are equal. */
export class Copies {
  readonly #copies: readonly Copy[]
  #turn = 0

  constructor(addresses: readonly Address[]) {
    this.#copies = addresses.map((address) => ({ address, busy: 0, restsUntilMs: 0 }))
  }

  get count(): number {
    return this.#copies.length
  }

  /** The copy to ask, none of `tried`; undefined when all were tried. */
  pick(tried: ReadonlySet<Copy>, nowMs: number): Copy | undefined {
    this.#turn = (this.#turn + 1) % this.#copies.length
    let best: Copy | undefined
    for (let i = 0; i < this.#copies.length; i++) {
      const copy = this.#copies[(this.#turn + i) % this.#copies.length]
      if (copy && !tried.has(copy) && (!best || isBetter(copy, best, nowMs))) best = copy
    }
    return best
  }

  rest(copy: Copy, nowMs: number): void {
    copy.restsUntilMs = nowMs + REST_MS
  }
}

function isBetter(copy: Copy, best: Copy, nowMs: number): boolean {
  const rests = copy.restsUntilMs > nowMs
  const bestRests = best.restsUntilMs > nowMs
  return rests === bestRests ? copy.busy < best.busy : bestRests
}
