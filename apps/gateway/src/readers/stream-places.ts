/** Contract section 1: event streams at a time for one address. */
const PLACES = 20

/** How many event streams each client address has open. */
export class StreamSlots {
  readonly #open = new Map<string, number>()

  /** Takes a place; undefined when the address has all of its own. The place is given back by calling what comes back, once. */
  take(address: string): (() => void) | undefined {
    const open = this.#open.get(address) ?? 0
    if (open >= PLACES) return undefined
    this.#open.set(address, open + 1)
    return () => {
      const left = (this.#open.get(address) ?? 1) - 1
      if (left === 0) this.#open.delete(address)
      else this.#open.set(address, left)
    }
  }
}
