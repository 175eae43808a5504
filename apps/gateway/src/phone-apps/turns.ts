/** Colota sends ten at once. */
const AT_ONCE_MAX = 10
/** Waiting for a turn; more are sent away. */
const WAITING_MAX = 50

type Line = { running: number; waiting: (() => void)[] }

/** Bounds how many requests of one device run at a time; the others wait for their turn. */
export class Turns {
  readonly #lines = new Map<string, Line>()

  /** Runs `work` in its turn; undefined where too many wait already. */
  async take<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
    const line = this.#lines.get(id) ?? { running: 0, waiting: [] }
    this.#lines.set(id, line)
    if (line.running >= AT_ONCE_MAX) {
      if (line.waiting.length >= WAITING_MAX) return undefined
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
