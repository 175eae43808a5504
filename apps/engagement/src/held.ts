/**
 * A read that is shared: whoever asks while it is under way gets the same answer, and so does whoever asks within
 * `holdsMs` of it. For what takes long at hundreds of thousands of people and changes little in seconds; with a hold of
 * 0 everybody who asks after an answer gets a new one. A failure is held for nobody.
 */
export function held<T>(read: () => Promise<T>, holdsMs: (value: T) => number): () => Promise<T> {
  let last: { value: T; untilMs: number } | null = null
  let underWay: Promise<T> | null = null

  const ask = async (): Promise<T> => {
    try {
      const value = await read()
      last = { value, untilMs: performance.now() + holdsMs(value) }
      return value
    } finally {
      underWay = null
    }
  }
  return async () => {
    if (last && performance.now() < last.untilMs) return last.value
    underWay ??= ask()
    return underWay
  }
}
