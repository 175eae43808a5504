/**
 * What is known of the window of new participants of one address while this process alone counts: at most so many places are taken, and so many
 * calls are under way, each of which may take one.
 */
export class AddressWindow {
  readonly #limit: number
  #used: number
  #underWay = 0
  /** Those of them that have brought a participant and are to be counted. */
  #brought = 0
  #waiting: (() => void)[] = []

  /** Full, until something is known of it. */
  constructor(limit: number) {
    this.#limit = limit
    this.#used = limit
  }

  /** Places that are left for sure, whatever the calls under way bring. */
  get free(): number {
    return Math.max(0, this.#limit - this.#used - this.#underWay)
  }

  enter(): void {
    this.#underWay++
  }

  /** A call that entered has taken no place, or one that is counted. */
  leave(): void {
    this.#underWay--
    this.#wake()
  }

  /** A call under way has taken a place; it stays under way until `counted`. */
  bring(): void {
    this.#brought++
  }

  /** How many have been brought since the last time. */
  takeBrought(): number {
    const brought = this.#brought
    this.#brought = 0
    return brought
  }

  counted(brought: number, verdict: { remaining: number }): void {
    this.#underWay -= brought
    this.note(verdict)
  }

  /** What was counted last. */
  note({ remaining }: { remaining: number }): void {
    this.#used = this.#limit - remaining
    this.#wake()
  }

  /** Resolves when there is a place for sure, or when nothing that is under way may take the last ones. */
  async settled(): Promise<void> {
    while (this.free === 0 && this.#underWay > 0)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Each looks again: the first may have taken the place. */
  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
