/** Runs work one after another for each key, side by side for different keys. */
export function createLanes() {
  const lanes = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (lanes.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.then(
      () => {},
      () => {},
    )
    lanes.set(key, settled)
    try {
      return await mine
    } finally {
      if (lanes.get(key) === settled) lanes.delete(key)
    }
  }
}
