/** A clock that stands still until a test moves it. Pass `clock.now` where `now` is wanted. */
export type TestClock = {
  /** Epoch milliseconds. */
  now: () => number
  advance: (ms: number) => void
  /** May go back as well: clocks of real machines do. */
  set: (ms: number) => void
}

/** The evening on which a procession sets out, somewhere after 22:00 in Taipei. */
export const DEPARTURE_MS = Date.parse('2026-04-17T14:05:00.000Z')

export function testClock(startMs: number = DEPARTURE_MS): TestClock {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
    set: (ms) => {
      nowMs = ms
    },
  }
}
