import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { boxContains, EARTH_RADIUS_KM, greatCircleKm, parseBoundingBox } from './geo'

const place = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
})
const halfTurnKm = Math.PI * EARTH_RADIUS_KM

test('a degree on the meridian is 111.195 km, a quarter of the equator 10,007.557 km', () => {
  expect(greatCircleKm({ from: { lat: 24, lng: 121 }, to: { lat: 25, lng: 121 } })).toBeCloseTo(111.19508, 5)
  expect(greatCircleKm({ from: { lat: 0, lng: 0 }, to: { lat: 0, lng: 90 } })).toBeCloseTo(halfTurnKm / 2, 9)
})

test('Dajia to Beigang is what two other formulas say', () => {
  const from = { lat: 24.3456, lng: 120.6227 }
  const to = { lat: 23.5687, lng: 120.3044 }
  const rad = Math.PI / 180
  const cosines =
    Math.sin(from.lat * rad) * Math.sin(to.lat * rad) +
    Math.cos(from.lat * rad) * Math.cos(to.lat * rad) * Math.cos((to.lng - from.lng) * rad)
  expect(greatCircleKm({ from, to })).toBeCloseTo(Math.acos(cosines) * EARTH_RADIUS_KM, 6)
})

test('the distance is finite and symmetric, never negative, never over half the globe, antipodes included', () => {
  fc.assert(
    fc.property(place, place, (from, to) => {
      const km = greatCircleKm({ from, to })
      return km >= 0 && km <= halfTurnKm && Math.abs(km - greatCircleKm({ from: to, to: from })) < 1e-9
    }),
    { seed: 3, numRuns: 2000 },
  )
  fc.assert(
    fc.property(place, (from) => {
      const to = { lat: -from.lat, lng: from.lng > 0 ? from.lng - 180 : from.lng + 180 }
      return Math.abs(greatCircleKm({ from, to }) - halfTurnKm) < 1e-3
    }),
    { seed: 4, numRuns: 2000 },
  )
})

test('a place is no distance from itself, also across the antimeridian', () => {
  fc.assert(
    fc.property(place, (from) => greatCircleKm({ from, to: from }) === 0),
    { seed: 5 },
  )
  expect(greatCircleKm({ from: { lat: 10, lng: 180 }, to: { lat: 10, lng: -180 } })).toBeCloseTo(0, 9)
})

test('a bounding box is four decimals in range, south not above north', () => {
  expect(parseBoundingBox('120,23.5,121,24')).toEqual({ west: 120, south: 23.5, east: 121, north: 24 })
  expect(parseBoundingBox(' -180 , -90, 180, 90 ')).toEqual({ west: -180, south: -90, east: 180, north: 90 })
  const bad = [
    '',
    '1,2,3',
    '1,2,3,4,5',
    '120,24,121,23',
    '181,0,0,0',
    '0,-91,0,0',
    '0,0,0,91',
    'a,b,c,d',
    '1,,3,4',
    '0x1,0,1,1',
    'NaN,0,1,1',
    '1e1,0,1,1',
  ]
  for (const text of bad)
    expect(parseBoundingBox(text)).toEqual({ error: expect.stringContaining('bbox: expected') })
})

test('a box contains its edges, and a box from east to west crosses the antimeridian', () => {
  const taiwan = { west: 120, south: 22, east: 122, north: 25 }
  expect(boxContains(taiwan, 25, 120)).toBe(true)
  expect(boxContains(taiwan, 22, 122)).toBe(true)
  expect(boxContains(taiwan, 25.1, 121)).toBe(false)
  expect(boxContains(taiwan, 24, 119.9)).toBe(false)
  const pacific = { west: 170, south: -10, east: -170, north: 10 }
  expect([170, 180, -180, -170].every((lng) => boxContains(pacific, 0, lng))).toBe(true)
  expect([0, 169.9, -169.9].some((lng) => boxContains(pacific, 0, lng))).toBe(false)
})
