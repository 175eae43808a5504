/**
 * Lets calls through at most so often a second, in their order; LINE refuses what is faster, and several
 * copies of this service share its limit.
 */
export function createPace(perSecond: number): () => Promise<void> {
  const everyMs = 1_000 / perSecond
  let nextMs = 0
  return async () => {
    const nowMs = performance.now()
    const waitMs = nextMs - nowMs
    nextMs = Math.max(nowMs, nextMs) + everyMs
    if (waitMs >= 1) await Bun.sleep(waitMs)
  }
}
