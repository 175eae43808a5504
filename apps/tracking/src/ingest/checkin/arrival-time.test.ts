import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { arrivalTimes } from './arrival-time.ts'

test('whatever comes when, no two check-ins of one participant have one time, and none is before its arrival', () => {
  // Clocks may be set back a little; mostly they go on.
  const steps = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.integer({ min: 0, max: 2_500 }))
  const arrivals = fc.array(fc.tuple(fc.constantFrom('U1', 'U2', 'U3'), steps), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(arrivals, (all) => {
      const timeOf = arrivalTimes()
      const had = new Map<string, Set<number>>()
      let nowMs = 1_000
      for (const [userId, stepMs] of all) {
        nowMs += stepMs
        const times = had.get(userId) ?? new Set()
        const time = timeOf(userId, nowMs)
        let free = nowMs
        while (times.has(free)) free++
        expect(time).toBe(free)
        had.set(userId, times.add(time))
      }
    }),
    { seed: 20261125, numRuns: 500 },
  )
})

test('a check-in that is sent again, seconds later, has the time that another process gave it', () => {
  const [first, second] = [arrivalTimes(), arrivalTimes()]
  const given = first('U1', 10_000)
  expect(second('U1', 14_000)).toBe(14_000)
  expect(second('U1', 10_000)).toBe(given)
  expect(second('U1', 10_000)).toBe(given + 1)
})
