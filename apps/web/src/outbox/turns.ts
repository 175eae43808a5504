/** What the pages of this phone and their service worker do one after the other, never at once. */
export type Turn = 'points' | 'checkins'

/** Runs in its turn: an open page and the service worker would send a photo twice. */
export const inTurn = <T>(turn: Turn, run: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request(`outbox-${turn}`, run) : run()

/** Runs something later; the result takes it back. */
export type After = (ms: number, run: () => void) => () => void

export const afterTimeout: After = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
