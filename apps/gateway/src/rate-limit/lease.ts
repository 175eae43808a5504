import type { Verdict } from './verdict.ts'

/** Lots are asked for to last about so long. */
const AHEAD_MS = 250
const LOTS_MAX = 64
/** From one renewal to the next at most: a short burst is no lasting demand. */
const GROWTH_MAX = 4

/** Lots that were taken together. */
export type Block = { lots: readonly Verdict[]; left: number; sinceMs: number; untilMs: number }

/** The places that one id has at hand: a block in use and the one after it. Untouched blocks are given back. */
export class Lease {
  readonly #placesPerLot: number
  #current: Block | undefined
  #next: Block | undefined

  constructor(placesPerLot: number) {
    this.#placesPerLot = placesPerLot
  }

  /** Takes a place, if there is one. */
  take(nowMs: number): boolean {
    const block = this.#usable(nowMs)
    if (!block) return false
    block.left--
    return true
  }

  add(block: Block): void {
    if (this.#current) this.#next = block
    else this.#current = block
  }

  /** Whether the next block should be asked for now. */
  get isLow(): boolean {
    const { left = 0, lots = [] } = this.#current ?? {}
    return !this.#next && left * 2 <= lots.length * this.#placesPerLot
  }

  /** How many lots to ask for, by how fast the current block is used. */
  lotsWanted(nowMs: number): number {
    if (!this.#current) return 1
    const { lots, left, sinceMs } = this.#current
    const perMs = (lots.length * this.#placesPerLot - left) / Math.max(1, nowMs - sinceMs)
    const wanted = Math.ceil((perMs * AHEAD_MS) / this.#placesPerLot)
    return Math.max(1, Math.min(wanted, LOTS_MAX, lots.length * GROWTH_MAX))
  }

  /** Gives back what has expired; whether nothing is left. */
  expire(nowMs: number): boolean {
    return this.#usable(nowMs) === undefined
  }

  #usable(nowMs: number): Block | undefined {
    while (this.#current && (this.#current.left <= 0 || this.#current.untilMs <= nowMs)) {
      this.#giveBack(this.#current)
      this.#current = this.#next
      this.#next = undefined
    }
    return this.#current
  }

  #giveBack({ lots, left }: Block): void {
    const untouched = Math.floor(left / this.#placesPerLot)
    if (untouched > 0) for (const lot of lots.slice(-untouched)) void lot.giveBack()
  }
}
