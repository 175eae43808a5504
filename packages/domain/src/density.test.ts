import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { crowdOf, DENSITY_COUNT_MIN, type Density, densityOf, parseTile, type Tile } from './density'

const place = fc.record({
  lat: fc.double({ min: 23, max: 25, noNaN: true }),
  lng: fc.double({ min: 120, max: 121, noNaN: true }),
})

test('every cell that is shown has at least three people, and holds exactly those whose place is in it', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 200 }), (places) => {
      const { cellDegrees, west, south, x, y, n } = densityOf(
        crowdOf([...places, ...places, ...places]),
        null,
      )
      n.forEach((count, at) => {
        expect(count).toBeGreaterThanOrEqual(DENSITY_COUNT_MIN)
        const column = Math.round(west / cellDegrees) + (x[at] ?? 0)
        const row = Math.round(south / cellDegrees) + (y[at] ?? 0)
        const inside = places.filter(
          ({ lat, lng }) => Math.floor(lng / cellDegrees) === column && Math.floor(lat / cellDegrees) === row,
        )
        expect(count).toBe(3 * inside.length)
      })
      expect(n.reduce((sum, count) => sum + count, 0)).toBe(3 * places.length)
    }),
    { seed: 17 },
  )
})

test('one or two people in a cell are not shown', () => {
  const alone = { lat: 24.1, lng: 120.5 }
  expect(densityOf(crowdOf([alone, alone]), null).n).toEqual([])
  expect(densityOf(crowdOf([alone, alone, alone]), null).n).toEqual([3])
})

test('west and south are multiples of the cell', () => {
  const { cellDegrees, west, south } = densityOf(
    crowdOf(Array(3).fill({ lat: 24.1234, lng: 120.5678 })),
    null,
  )
  expect(Number.isInteger(Math.round((west / cellDegrees) * 1e6) / 1e6)).toBe(true)
  expect(Number.isInteger(Math.round((south / cellDegrees) * 1e6) / 1e6)).toBe(true)
})

const BASE = 400
const ZOOMS = [6, 9, 11, 12, 13, 14, 15, 17]
const tileAt = ({ lat, lng }: { lat: number; lng: number }, z: number): Tile => ({
  z,
  x: Math.floor(((lng + 180) / 360) * 2 ** z),
  y: Math.floor(((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * 2 ** z),
})
const cellsOf = ({ cellDegrees, west, south, x, y, n }: Density) =>
  new Map(
    n.map((count, at) => [
      `${Math.round(west / cellDegrees) + (x[at] ?? 0)} ${Math.round(south / cellDegrees) + (y[at] ?? 0)}`,
      count,
    ]),
  )
/** A few people close together: cells of one, two, three and more. */
const near = fc.record({
  lat: fc.integer({ min: 0, max: 600 }).map((step) => 24 + step / (BASE * 100)),
  lng: fc.integer({ min: 0, max: 600 }).map((step) => 120.5 + step / (BASE * 100)),
})

test('no two answers, of whatever zooms and tiles, say more than each alone', () => {
  fc.assert(
    fc.property(fc.array(near, { maxLength: 60 }), fc.integer({ min: 3, max: 6 }), (people, countMin) => {
      const crowd = crowdOf(people, countMin)
      const keys = new Map(
        people.flatMap((person) =>
          ZOOMS.map((z) => tileAt(person, z)).map((tile) => [JSON.stringify(tile), tile]),
        ),
      )
      const answers = [null, ...keys.values()].map((tile) => densityOf(crowd, tile))
      for (const one of answers)
        for (const other of answers) {
          expect(one.cellDegrees).toBe(other.cellDegrees)
          const [mine, others] = [cellsOf(one), cellsOf(other)]
          // What lies in a cell of both is the same, so that their difference is made of whole cells again.
          for (const [cell, n] of mine) {
            expect(n).toBeGreaterThanOrEqual(countMin)
            expect([n, undefined]).toContain(others.get(cell))
          }
        }
    }),
    { seed: 31, numRuns: 60 },
  )
})

test('the tiles of a zoom together are the whole activity, each cell in one of them', () => {
  fc.assert(
    fc.property(fc.array(near, { maxLength: 60 }), fc.constantFrom(...ZOOMS), (people, z) => {
      const crowd = crowdOf([...people, ...people, ...people])
      const whole = cellsOf(densityOf(crowd, null))
      const corner = tileAt({ lat: 24.02, lng: 120.49 }, z)
      const other = tileAt({ lat: 23.99, lng: 120.52 }, z)
      const found: [string, number][] = []
      for (let { y } = corner; y <= other.y; y++)
        for (let { x } = corner; x <= other.x; x++) found.push(...cellsOf(densityOf(crowd, { z, x, y })))
      expect(found).toHaveLength(whole.size)
      expect(new Map(found)).toEqual(whole)
    }),
    { seed: 31, numRuns: 60 },
  )
})

test.each([
  [{ z: '5', x: '0', y: '0' }, 'z: expected a zoom from 6 to 17'],
  [{ z: '6', x: '64', y: '0' }, 'x: expected a column from 0 to 63'],
  [{ z: '6', x: '0', y: '-1' }, 'y: expected a row from 0 to 63'],
  [{ z: '6', x: '1' }, 'y: expected a row from 0 to 63'],
  [{ x: '1', y: '1' }, 'z: expected a zoom from 6 to 17'],
])('%j is no tile: %s', (query, error) => {
  expect(parseTile(query)).toEqual({ error })
})

test('without z, x and y it is the whole activity', () => {
  expect(parseTile({})).toBeNull()
  expect(parseTile({ z: '12', x: '3419', y: '1765' })).toEqual({ z: 12, x: 3_419, y: 1_765 })
})
