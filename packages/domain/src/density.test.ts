import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DENSITY_COUNT_MIN, densityOf, parseTile, tileBox } from './density'

const place = fc.record({
  lat: fc.double({ min: 23, max: 25, noNaN: true }),
  lng: fc.double({ min: 120, max: 121, noNaN: true }),
})

test('every cell that is shown has at least three people, and holds exactly those whose place is in it', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 200 }), (places) => {
      const { cellDegrees, west, south, x, y, n } = densityOf([...places, ...places, ...places], null)
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
  expect(densityOf([alone, alone], null).n).toEqual([])
  expect(densityOf([alone, alone, alone], null).n).toEqual([3])
})

test('west and south are multiples of the cell', () => {
  const { cellDegrees, west, south } = densityOf(Array(3).fill({ lat: 24.1234, lng: 120.5678 }), null)
  expect(Number.isInteger(Math.round((west / cellDegrees) * 1e6) / 1e6)).toBe(true)
  expect(Number.isInteger(Math.round((south / cellDegrees) * 1e6) / 1e6)).toBe(true)
})

test('a tile counts what lies inside of it, by finer cells from zoom 13 on', () => {
  const tile = { z: 14, x: 13_677, y: 7_063 }
  const box = tileBox(tile)
  const inside = { lat: (box.south + box.north) / 2, lng: (box.west + box.east) / 2 }
  const outside = { lat: box.north + 0.01, lng: inside.lng }
  const density = densityOf([inside, inside, inside, outside, outside, outside], tile)
  expect(density.n).toEqual([3])
  expect(density.cellDegrees).toBe(1 / 1_600)
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
