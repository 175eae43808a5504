import { expect, test } from 'bun:test'
import { EventLoopLag } from './event-loop-lag.ts'

function clocked() {
  let nowMs = 1_000
  const eventLoopLag = new EventLoopLag({ nowMs: () => nowMs })
  eventLoopLag.begin()
  return {
    eventLoopLag,
    /** The loop comes by again and again for so long, each time so late. */
    lagging: (lagMs: number, forMs: number) => {
      for (const endMs = nowMs + forMs; nowMs < endMs; ) {
        nowMs += 25 + lagMs
        eventLoopLag.tick()
      }
    },
  }
}

test('a loop in time has no lag', () => {
  const { eventLoopLag, lagging } = clocked()
  lagging(0, 5_000)
  expect(eventLoopLag.lagMs).toBe(0)
})

test('one long tick is no overload, however long', () => {
  const { eventLoopLag, lagging } = clocked()
  lagging(0, 1_000)
  lagging(4_000, 1)
  lagging(0, 100)
  lagging(900, 1)
  expect(eventLoopLag.lagMs).toBe(0)
})

test('a lag that stands for half a second counts, by its least', () => {
  const { eventLoopLag, lagging } = clocked()
  lagging(180, 600)
  lagging(300, 600)
  lagging(250, 900)
  expect(eventLoopLag.lagMs).toBeGreaterThanOrEqual(180)
  expect(eventLoopLag.lagMs).toBeLessThanOrEqual(300)
})

test('the first tick in time ends it', () => {
  const { eventLoopLag, lagging } = clocked()
  lagging(500, 3_000)
  expect(eventLoopLag.lagMs).toBeGreaterThan(400)
  lagging(0, 25)
  expect(eventLoopLag.lagMs).toBe(0)
})
