import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PEAK, ratesOf } from './peak.ts'
import { KINDS, timetable } from './timetable.ts'

test('as many requests of each kind are due as the rates say, in the order of time, half over new connections', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 20_000 }),
      fc.integer({ min: 1, max: 60 }),
      (participants, seconds) => {
        const due = [...timetable(participants, seconds)]
        const rates = ratesOf(participants)
        for (const kind of KINDS) {
          const own = due.filter((one) => one.kind === kind)
          expect(Math.abs(own.length - rates[kind] * seconds)).toBeLessThanOrEqual(1)
          expect(own.map(({ index }) => index)).toEqual(own.map((_, at) => at))
          const opened = own.filter(({ opens }) => opens).length
          const share = kind === 'map' ? 0 : PEAK.newConnectionShare
          expect(Math.abs(opened - own.length * share)).toBeLessThanOrEqual(1)
        }
        expect(due.every(({ atMs }, at) => atMs < seconds * 1_000 && atMs >= (due[at - 1]?.atMs ?? 0))).toBe(
          true,
        )
      },
    ),
    { seed: 431, numRuns: 30 },
  )
})
