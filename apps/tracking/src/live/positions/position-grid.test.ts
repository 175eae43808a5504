import { expect, test } from 'bun:test'
import { type BoundingBox, boxContains } from '@palanquin/domain/geo'
import fc from 'fast-check'
import { roundBoxOutward } from '../responses/round-box.ts'
import type { LivePosition } from './live-position.ts'
import { createPositionGrid } from './position-grid.ts'

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

const positionAt = (at: { lat: number; lng: number; isPublic: boolean }, n: number): LivePosition => ({
  ...{
    userId: `U${n}`,
    shard: 0,
    id: `${n}`,
    recordedAt: 0,
    accuracyM: null,
    battery: null,
    movedAt: [0, 0],
  },
  ...{
    km: 0,
    checkins: 0,
    pending: [],
    isCounted: false,
    isAnonymous: false,
    publicName: null,
    cell: null,
    texts: {},
  },
  ...at,
})

test('a box has exactly the positions inside it, after any moves and changes of visibility', () => {
  fc.assert(
    fc.property(
      fc.array(place, { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(59), place), { maxLength: 60 }),
      box,
      (places, moves, given) => {
        const grid = createPositionGrid()
        const positions = places.map(positionAt)
        for (const position of positions) grid.place(position)
        for (const [n, { lat, lng, isPublic }] of moves) {
          const position = positions[n % positions.length]
          if (!position) continue
          Object.assign(position, { lat, lng })
          grid.place(position)
          grid.setPublic(position, isPublic)
        }
        for (const position of positions.filter((_, n) => n % 5 === 0)) grid.remove(position)
        for (const includeHidden of [true, false]) {
          const inside = positions.filter(
            (one) => one.cell && (includeHidden || one.isPublic) && boxContains(given, one.lat, one.lng),
          )
          expect(new Set(grid.inBox(given, { includeHidden }))).toEqual(new Set(inside))
          expect(grid.countIn(given, { includeHidden })).toBe(inside.length)
        }
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
