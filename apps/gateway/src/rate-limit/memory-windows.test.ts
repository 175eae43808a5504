import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MemoryWindows } from './memory-windows.ts'

const WINDOW_MS = 60_000

test.each([5, 32, 33, 300])(
  'in no window of a minute are more than %i let through, and a place is used again',
  (limit) => {
    const pauses = fc.array(fc.nat(Math.floor(20_000 / limit)), {
      minLength: 10 * limit,
      maxLength: 12 * limit,
    })
    fc.assert(
      fc.property(pauses, (all) => {
        const windows = new MemoryWindows()
        const admitted: number[] = []
        let nowMs = 0
        for (const pauseMs of all) {
          nowMs += pauseMs
          const claims = [{ key: 'one', amount: 1, limit, windowMs: WINDOW_MS }]
          const { refused, counts } = windows.count({ claims }, nowMs)
          if (refused < 0) admitted.push(nowMs)
          // Whoever comes when they were told finds a place, or is told again.
          expect(counts[0]?.freeInMs).toBeWithin(1, WINDOW_MS + 1)
        }
        for (const [at, atMs] of admitted.entries()) {
          const later = admitted[at + limit]
          if (later !== undefined) expect(later - atMs).toBeGreaterThan(WINDOW_MS)
        }
        if (nowMs > 3 * WINDOW_MS) expect(admitted.length).toBeGreaterThan(limit)
      }),
      { seed: 20_261_127, numRuns: 20 },
    )
  },
)

test('made-up ids stay in bounded memory, however many', () => {
  const windows = new MemoryWindows({ keysSize: 1_000 })
  for (let id = 0; id < 10_000; id++)
    windows.count({ claims: [{ key: `made-up-${id}`, amount: 1, limit: 5, windowMs: WINDOW_MS }] }, 0)
  expect(windows.size).toBeWithin(1_000, 2_001)
})
