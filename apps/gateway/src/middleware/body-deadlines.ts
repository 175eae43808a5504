/** How late a body may be given up: one timer looks after all of them. */
const LOOK_EVERY_MS = 250

type Waiting = { readonly atMs: number; readonly expire: () => void }

/**
 * Deadlines that nearly always are cancelled before they come, as bodies nearly always arrive: a timer for each costs more than
 * reading the body. Those of one length are kept in their order, so that only the first has to be looked at.
 */
export class BodyDeadlines {
  readonly #byLength = new Map<number, Set<Waiting>>()
  #timer: ReturnType<typeof setInterval> | undefined
  #count = 0

  /** Calls `expire` after `inMs`, unless the returned function is called before. */
  begin(inMs: number, expire: () => void): () => void {
    const all = this.#byLength.get(inMs) ?? new Set()
    this.#byLength.set(inMs, all)
    const waiting = { atMs: performance.now() + inMs, expire }
    all.add(waiting)
    this.#count++
    this.#timer ??= setInterval(() => this.#look(performance.now()), LOOK_EVERY_MS)
    return () => {
      if (all.delete(waiting)) this.#count--
    }
  }

  #look(nowMs: number): void {
    for (const all of this.#byLength.values())
      for (const waiting of all) {
        if (waiting.atMs > nowMs) break
        all.delete(waiting)
        this.#count--
        waiting.expire()
      }
    if (this.#count > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
