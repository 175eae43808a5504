import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Entry } from '../buffer/read.ts'
import { splitWindow } from './split-window.ts'

const SEED = 20260501
const entry = (at: number, u: string, { kind = 't', points = 2 } = {}): Entry => ({
  id: `1700000000000-${at}`,
  fields: { u, k: kind, n: String(points) },
})
const head = () =>
  fc
    .array(
      fc.record({
        user: fc.integer({ min: 0, max: 12 }),
        kind: fc.constantFrom('t', 't', 't', 't', 'c'),
        points: fc.integer({ min: 1, max: 40 }),
      }),
      { minLength: 1, maxLength: 200 },
    )
    .map((list) => list.map(({ user, kind, points }, at) => entry(at, `user-${user}`, { kind, points })))
const bounds = () =>
  fc.record({ entries: fc.integer({ min: 1, max: 30 }), points: fc.integer({ min: 1, max: 200 }) })
const usersOf = (entries: readonly Entry[]) => new Set(entries.map(({ fields }) => fields.u))
const pointsOf = (entries: readonly Entry[]) => entries.reduce((sum, { fields }) => sum + Number(fields.n), 0)
const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id)
const sizeOf = (batch: readonly Entry[]) => ({ entries: batch.length, points: pointsOf(batch) })

test('each entry of the window is in one batch, and a participant sees their own in order', () => {
  fc.assert(
    fc.property(head(), bounds(), (given, bounds) => {
      const { entries, batches } = splitWindow(given, bounds)
      expect(entries.length).toBeGreaterThan(0)
      expect(idsOf(entries)).toEqual(idsOf(given.slice(0, entries.length)))
      const stored = batches.flat()
      expect(idsOf(stored).toSorted()).toEqual(idsOf(entries).toSorted())
      for (const user of usersOf(entries)) {
        const own = ({ fields }: Entry) => fields.u === user
        expect(idsOf(stored.filter(own))).toEqual(idsOf(entries.filter(own)))
      }
    }),
    { seed: SEED },
  )
})

test('only the last batch, which moves the cursor, holds check-ins, and all else of who checked in', () => {
  fc.assert(
    fc.property(head(), bounds(), (given, bounds) => {
      const { batches } = splitWindow(given, bounds)
      const checkedIn = usersOf(batches.flat().filter(({ fields }) => fields.k === 'c'))
      for (const batch of batches.slice(0, -1))
        for (const { fields } of batch) expect(checkedIn).not.toContain(fields.u)
    }),
    { seed: SEED },
  )
})

test('a batch holds at most what it may, and one entry beyond its points; who sent less than that is in one', () => {
  fc.assert(
    fc.property(head(), bounds(), (given, bounds) => {
      const { entries, batches } = splitWindow(given, bounds)
      for (const batch of batches) {
        expect(batch.length).toBeWithin(1, bounds.entries + 1)
        expect(pointsOf(batch.slice(0, -1))).toBeLessThanOrEqual(bounds.points)
      }
      for (const user of usersOf(entries)) {
        const own = sizeOf(entries.filter(({ fields }) => fields.u === user))
        if (own.entries > bounds.entries || own.points > bounds.points) continue
        expect(batches.filter((batch) => usersOf(batch).has(user))).toHaveLength(1)
      }
    }),
    { seed: SEED },
  )
})

test('five syncs each of many, as of five minutes, come together', () => {
  const given = Array.from({ length: 500 }, (_, at) => entry(at, `user-${at % 100}`))
  const { entries, batches } = splitWindow(given, { entries: 64, points: 150 })
  expect(entries).toHaveLength(500)
  expect(batches.reduce((sum, batch) => sum + usersOf(batch).size, 0)).toBe(100)
})

test('where everybody checks in a window is one batch', () => {
  const given = Array.from({ length: 500 }, (_, at) => entry(at, `user-${at}`, { kind: 'c', points: 1 }))
  const { entries, batches } = splitWindow(given, { entries: 64, points: 150 })
  expect([entries.length, batches.length]).toEqual([64, 1])
})

test('an entry without a participant is in the window as any other', () => {
  const given = [{ id: '1-0', fields: { nothing: 'at all' } }, entry(1, 'user')]
  expect(splitWindow(given, { entries: 64, points: 150 }).batches.flat()).toHaveLength(2)
})
