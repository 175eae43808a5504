/** Contract section 1: event streams at a time for one address, or for one caller who has proven who they are. */
const SLOTS = 20

/** How many event streams each of them has open. */
export class StreamSlots {
  readonly #open = new Map<string, number>()

  /** Takes a slot and returns what frees it, to be called once; undefined when there is none left. */
  take(id: string): (() => void) | undefined {
    const open = this.#open.get(id) ?? 0
    if (open >= SLOTS) return undefined
    this.#open.set(id, open + 1)
    return () => {
      const left = (this.#open.get(id) ?? 1) - 1
      if (left === 0) this.#open.delete(id)
      else this.#open.set(id, left)
    }
  }
}
