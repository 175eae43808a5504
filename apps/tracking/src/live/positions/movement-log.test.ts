import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type EntryNumber, isAfter, STREAM_START } from './cursor.ts'
import { MovementLog } from './movement-log.ts'
import { PositionColumns } from './position-columns.ts'

function logOf(slots: number) {
  const columns = new PositionColumns()
  columns.ensure(slots)
  const log = new MovementLog(columns)
  const moved = new Map<number, EntryNumber>()
  return {
    log,
    moved,
    move: (slot: number, entry: EntryNumber) => {
      columns.movedMs[slot] = entry[0]
      columns.movedSequence[slot] = entry[1]
      log.add(slot, !moved.has(slot))
      moved.set(slot, entry)
    },
    leave: (slot: number) => {
      if (!moved.delete(slot)) return
      log.remove(slot)
      columns.clear(slot)
    },
  }
}

test('a log that is never read stays in proportion to the positions, and gives their latest movements in order', () => {
  const { log, move } = logOf(3)
  for (let at = 1; at <= 30_000; at++) move(at % 3, [at, 0])
  expect(log.size()).toBeLessThan(2_000)
  expect([...log.since([29_998, 0])]).toEqual([2, 0])
  expect([...log.since([0, 0])]).toHaveLength(3)
})

test('a log gives what a sorted map of the latest movements would, in any order of entries', () => {
  const entry = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat(3))
  const step = fc.record({ slot: fc.nat(9), entry, leaves: fc.nat(9).map((n) => n === 0) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), entry, (steps, since) => {
      const { log, moved, move, leave } = logOf(10)
      for (const { slot, entry: at, leaves } of steps) {
        if (leaves) leave(slot)
        else move(slot, at)
      }
      const expected = [...moved].filter(([, at]) => isAfter(at, since))
      // One who came back to an entry is logged twice; readers go by the set of slots.
      const found = [...log.since(since)]
      expect(new Set(found)).toEqual(new Set(expected.map(([slot]) => slot)))
      expect(log.countSince(since)).toBeGreaterThanOrEqual(expected.length)
      const entries = found.map((slot) => moved.get(slot) ?? STREAM_START)
      for (const [at, one] of entries.entries())
        expect(isAfter(entries[at - 1] ?? STREAM_START, one)).toBe(false)
    }),
    { seed: 20261123, numRuns: 500 },
  )
})
