import type { Address } from './address.ts'
import { Exchange } from './exchange/exchange.ts'

/** How long a copy that is unreachable or about to stop is avoided, unless no other is left. */
const AVOID_MS = 1_000

export type Copy = {
  readonly address: Address
  readonly exchange: Exchange
  busy: number
  avoidedUntilMs: number
}

/** The copies of one service: the least busy is called, round robin where they are equal. */
export class Copies {
  readonly #copies: readonly Copy[]
  #next = 0

  constructor(addresses: readonly Address[]) {
    this.#copies = addresses.map((address) => {
      const exchange = new Exchange(address)
      return { address, exchange, busy: 0, avoidedUntilMs: 0 }
    })
  }

  get count(): number {
    return this.#copies.length
  }

  /** The copy to call, none of `tried`; undefined when all were tried. */
  pick(tried: ReadonlySet<Copy>, nowMs: number): Copy | undefined {
    this.#next = (this.#next + 1) % this.#copies.length
    let best: Copy | undefined
    for (let i = 0; i < this.#copies.length; i++) {
      const copy = this.#copies[(this.#next + i) % this.#copies.length]
      if (copy && !tried.has(copy) && (!best || isBetter(copy, best, nowMs))) best = copy
    }
    return best
  }

  avoid(copy: Copy, nowMs: number): void {
    copy.avoidedUntilMs = nowMs + AVOID_MS
  }
}

function isBetter(copy: Copy, best: Copy, nowMs: number): boolean {
  const isAvoided = copy.avoidedUntilMs > nowMs
  const isBestAvoided = best.avoidedUntilMs > nowMs
  return isAvoided === isBestAvoided ? copy.busy < best.busy : isBestAvoided
}
