/** What the pages of this phone and their service worker do one after the other, never at once. */
export type Turn = 'points' | 'checkins'

/**
 * Runs when it is this one's turn: an open page and the service worker would send a photo twice. Browsers without locks
 * have no background sync either.
 */
export const inTurn = <T>(turn: Turn, run: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request(`outbox-${turn}`, run) : run()
