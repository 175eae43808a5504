import { expect, test } from 'bun:test'
import { Strain } from './strain.ts'

function clocked() {
  let nowMs = 1_000
  const strain = new Strain({ nowMs: () => nowMs })
  strain.begin()
  return {
    strain,
    /** The loop comes by again and again for so long, each time so late. */
    lagging: (lagMs: number, forMs: number) => {
      for (const endMs = nowMs + forMs; nowMs < endMs; ) {
        nowMs += 25 + lagMs
        strain.tick()
      }
    },
  }
}

test('a loop that is in time has no lag', () => {
  const { strain, lagging } = clocked()
  lagging(0, 5_000)
  expect(strain.lagMs).toBe(0)
})

test('one long tick is no overload, however long', () => {
  const { strain, lagging } = clocked()
  lagging(0, 1_000)
  lagging(4_000, 1)
  lagging(0, 100)
  lagging(900, 1)
  expect(strain.lagMs).toBe(0)
})

test('a lag that stands for half a second counts, by its least', () => {
  const { strain, lagging } = clocked()
  lagging(180, 600)
  lagging(300, 600)
  lagging(250, 900)
  expect(strain.lagMs).toBeGreaterThanOrEqual(180)
  expect(strain.lagMs).toBeLessThanOrEqual(300)
})

test('the first tick in time ends it', () => {
  const { strain, lagging } = clocked()
  lagging(500, 3_000)
  expect(strain.lagMs).toBeGreaterThan(400)
  lagging(0, 25)
  expect(strain.lagMs).toBe(0)
})
