import { expect, test } from 'bun:test'
import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import fc from 'fast-check'
import { roundBoxOutward } from '../responses/round-box.ts'
import { PositionColumns, SHOWN } from './position-columns.ts'
import { PositionGrid } from './position-grid.ts'

const EDGES = [-180, -90, 0, 24, 24.1, 90, 120.6, 179.9999, 180, 90 / 2 ** 14, 120 + 90 / 2 ** 14]
/** Numbers nearer to zero than 1e-30 count as 0 wherever they come in. */
const degrees = (most: number) =>
  fc
    .oneof(
      fc.double({ min: -most, max: most, noNaN: true }),
      fc.constantFrom(...EDGES).filter((edge) => Math.abs(edge) <= most),
      fc.double({ min: 24, max: 24.02, noNaN: true }),
    )
    .map((value) => (Math.abs(value) < 1e-30 ? 0 : value))
const place = fc.record({ lat: degrees(90), lng: degrees(180), isPublic: fc.boolean() })
const box = fc.record({ west: degrees(180), south: degrees(90), east: degrees(180), north: degrees(90) }).map(
  ({ south, north, ...rest }): BoundingBox => ({
    ...rest,
    south: Math.min(south, north),
    north: Math.max(south, north),
  }),
)

test('a box has exactly the positions inside it, after any moves and changes of visibility', () => {
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(59), place), { maxLength: 60 }),
      box,
      (places, moves, given) => {
        const columns = new PositionColumns()
        const grid = new PositionGrid(columns)
        columns.ensure(places.length)
        const put = (slot: number, { lat, lng, isPublic }: (typeof places)[number]) => {
          columns.lat[slot] = lat
          columns.lng[slot] = lng
          grid.place(slot)
          grid.setShown(slot, isPublic ? SHOWN.public : SHOWN.counted)
        }
        const present = new Map(places.entries())
        for (const [slot, at] of present) put(slot, at)
        for (const [n, at] of moves) {
          put(n % places.length, at)
          present.set(n % places.length, at)
        }
        for (let slot = 0; slot < places.length; slot += 5) {
          grid.remove(slot)
          present.delete(slot)
        }
        for (const includeHidden of [true, false]) {
          const inside = [...present].filter(
            ([, one]) => (includeHidden || one.isPublic) && boxContains(given, one.lat, one.lng),
          )
          expect(grid.inBox(given, { includeHidden }).toSorted((a, b) => a - b)).toEqual(
            inside.map(([slot]) => slot).toSorted((a, b) => a - b),
          )
          expect(grid.countIn(given, { includeHidden })).toBe(inside.length)
        }
        for (const slot of present.keys()) grid.remove(slot)
        expect(grid.size()).toBe(0)
        for (const column of [columns.cell, columns.nextInCell, columns.previousInCell])
          expect(column.every((value) => value === 0)).toBe(true)
      },
    ),
    { seed: 20261122, numRuns: 500 },
  )
})

test('a rounded box contains the given box and is never much larger', () => {
  fc.assert(
    fc.property(box, place, (given, { lat, lng }) => {
      const rounded = roundBoxOutward(given)
      if (boxContains(given, lat, lng)) expect(boxContains(rounded, lat, lng)).toBe(true)
      expect(rounded.west).toBeGreaterThanOrEqual(-180)
      expect(rounded.east).toBeLessThanOrEqual(180)
      const width = (one: BoundingBox) => one.east - one.west + (one.west > one.east ? 360 : 0)
      const longer = Math.max(width(given), given.north - given.south)
      const slack = Math.max(2 * 0.0055, longer / 2 + 1e-9)
      expect(width(rounded)).toBeLessThanOrEqual(width(given) + slack)
      expect(rounded.north - rounded.south).toBeLessThanOrEqual(given.north - given.south + slack)
    }),
    { seed: 20261122, numRuns: 2_000 },
  )
})

test('clients with nearly the same view share one query', () => {
  const queries = new Set<string>()
  for (let i = 0; i < 900; i++) {
    const by = i / 100_000
    queries.add(
      JSON.stringify(
        roundBoxOutward({ west: 120.2 + by, south: 23.4 + by, east: 121.1 + by, north: 24.6 + by }),
      ),
    )
  }
  expect(queries.size).toBeLessThanOrEqual(4)
})
