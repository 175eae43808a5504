/** Runs one piece of work per key at a time; who asks while it runs gets its outcome, good or bad. */
export function onePerKey<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key, work) => {
    const known = running.get(key)
    if (known) return known
    const mine = work().finally(() => running.delete(key))
    running.set(key, mine)
    return mine
  }
}
