type Line = { running: number; waiting: (() => void)[] }

/** Bounds how much work of one device, or of one address, runs at a time; the rest waits for its turn. */
export class Turns {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  readonly #lines = new Map<string, Line>()

  constructor({ atOnceMax, waitingMax }: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = atOnceMax
    this.#waitingMax = waitingMax
  }

  /** Runs `work` in its turn; undefined where too many wait already. */
  async take<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
    const line = this.#lines.get(id) ?? { running: 0, waiting: [] }
    this.#lines.set(id, line)
    if (line.running >= this.#atOnceMax) {
      if (line.waiting.length >= this.#waitingMax) return undefined
      await new Promise<void>((resolve) => line.waiting.push(resolve))
    } else line.running++
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      if (next) next()
      else if (--line.running === 0) this.#lines.delete(id)
    }
  }
}
