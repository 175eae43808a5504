import { expect, test } from 'bun:test'
import { parseTile, tileBox } from '@palanquin/domain/density'
import { parseBoundingBox } from '@palanquin/domain/geo'
import fc from 'fast-check'
import { clearerDensity, densityPaths, mergedDensity, peoplePath, tierOf } from './view.ts'

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true })
/** A phone's view of Taiwan, up to some kilometres across. */
const view = fc
  .record({ zoom: degrees(5, 18), lat: degrees(21, 26), lng: degrees(119, 122), side: degrees(1e-3, 0.05) })
  .map(({ zoom, lat, lng, side }) => ({
    zoom,
    box: { west: lng, south: lat, east: lng + side, north: lat + side },
  }))
const paramsOf = (path: string) => Object.fromEntries(new URLSearchParams(path.split('?')[1]))

test('the crowd below zoom 13, cells from there on, people from zoom 15 on', () => {
  expect([12.99, 13, 14.99, 15, 18].map(tierOf)).toEqual(['crowd', 'cells', 'cells', 'people', 'people'])
})

test('the tiles of a view cover it, and the API takes each', () => {
  fc.assert(
    fc.property(view, ({ zoom, box }) => {
      const paths = densityPaths({ zoom, box })
      if (zoom < 13) return expect(paths).toEqual(['/density'])
      const boxes = paths.map((path) => {
        const tile = parseTile(paramsOf(path))
        if (tile === null || 'error' in tile) throw new Error(`no tile: ${path}`)
        return tileBox(tile)
      })
      expect(paths.length).toBeLessThanOrEqual(24)
      if (paths.length === 24) return
      for (const [lng, lat] of [
        [box.west, box.south],
        [box.east, box.north],
        [(box.west + box.east) / 2, (box.south + box.north) / 2],
      ] as const)
        expect(
          boxes.some((one) => one.west <= lng && lng <= one.east && one.south <= lat && lat <= one.north),
        ).toBe(true)
    }),
    { seed: 5 },
  )
})

test('the box of people contains the view, and is at most one step larger on each side', () => {
  fc.assert(
    fc.property(view, ({ zoom, box }) => {
      const path = peoplePath({ zoom, box })
      if (zoom < 15) return expect(path).toBeNull()
      const asked = parseBoundingBox(paramsOf(path ?? '').bbox ?? '')
      if ('error' in asked) throw new Error(asked.error)
      const grown = [
        box.west - asked.west,
        box.south - asked.south,
        asked.east - box.east,
        asked.north - box.north,
      ]
      for (const by of grown) {
        expect(by).toBeGreaterThanOrEqual(-1e-9)
        expect(by).toBeLessThanOrEqual(1 / 400 + 1e-9)
      }
    }),
    { seed: 5 },
  )
})

test('finer cells are shown unless they lose most people of the view', () => {
  const box = { west: 120, south: 24, east: 121, north: 25 }
  const of = (n: number, west = 120.5) => ({
    cellDegrees: 1 / 800,
    west,
    south: 24.5,
    x: [0],
    y: [0],
    n: [n],
  })
  const whole = { ...of(20), cellDegrees: 1 / 400 }
  expect(clearerDensity(of(10), whole, box)).toEqual(of(10))
  expect(clearerDensity(of(9), whole, box)).toEqual(whole)
  expect(clearerDensity(of(50, 121.5), whole, box)).toEqual(whole)
  expect(clearerDensity(null, whole, box)).toEqual(whole)
  expect(clearerDensity(of(4), null, box)).toEqual(of(4))
})

test('a cell on the edge of two tiles is one cell', () => {
  const cellDegrees = 1 / 800
  const merged = mergedDensity([
    { cellDegrees, west: 120.5, south: 24, x: [0, 2], y: [0, 0], n: [3, 4] },
    { cellDegrees, west: 120.5025, south: 24, x: [0, 1], y: [0, 1], n: [5, 6] },
  ])
  const cells = merged.n.map((n, at) => [
    Math.round((merged.west + (merged.x[at] ?? 0) * cellDegrees) * 1e6) / 1e6,
    Math.round((merged.south + (merged.y[at] ?? 0) * cellDegrees) * 1e6) / 1e6,
    n,
  ])
  expect(cells).toEqual([
    [120.5, 24, 3],
    [120.5025, 24, 9],
    [120.50375, 24.00125, 6],
  ])
})
