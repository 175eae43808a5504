/** Contract section 1: event streams at a time for one address. */
const SLOTS = 20

/** How many event streams each client address has open. */
export class StreamSlots {
  readonly #open = new Map<string, number>()

  /** Takes a slot and returns what frees it, to be called once; undefined when the address has none left. */
  take(address: string): (() => void) | undefined {
    const open = this.#open.get(address) ?? 0
    if (open >= SLOTS) return undefined
    this.#open.set(address, open + 1)
    return () => {
      const left = (this.#open.get(address) ?? 1) - 1
      if (left === 0) this.#open.delete(address)
      else this.#open.set(address, left)
    }
  }
}
