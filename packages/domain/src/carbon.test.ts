import { expect, test } from 'bun:test'
import { type Carbon, carbonOf, coefficientOf, ITEM_COEFFICIENTS, inferMode } from './carbon'

const nothing = {
  travel: {},
  motorizedKm: 0,
  walkedKm: 0,
  waterBottles: 0,
  recycledBottles: 0,
  hotelNights: 0,
}

test('every factor is the one of specification 2.4', () => {
  const modes = ['walk', 'car', 'scooter', 'bike', 'bus', 'mrt', 'train', 'hsr']
  expect(modes.map(coefficientOf)).toEqual([0, 0.30479, 0.13734, 0.0122, 0.12013, 0.07575, 0.07575, 0.07487])
  expect(ITEM_COEFFICIENTS).toEqual({ waterBottle: 0.10974, recycledBottle: -0.00265, hotelNight: 8.85 })
})

/** Specification 2.4, written out: what is counted, how many of it, and kg CO2e for one. */
const travel = (mode: string) => (km: number) => carbonOf({ ...nothing, travel: { [mode]: km } })
const COEFFICIENTS: readonly [name: string, of: (units: number) => Carbon, part: keyof Carbon, kg: number][] =
  [
    ['walk', travel('walk'), 'travelKg', 0],
    ['car', travel('car'), 'travelKg', 0.30479],
    ['scooter', travel('scooter'), 'travelKg', 0.13734],
    ['bike', travel('bike'), 'travelKg', 0.0122],
    ['bus', travel('bus'), 'travelKg', 0.12013],
    ['mrt', travel('mrt'), 'travelKg', 0.07575],
    ['train', travel('train'), 'travelKg', 0.07575],
    ['hsr', travel('hsr'), 'travelKg', 0.07487],
    ['water', (waterBottles) => carbonOf({ ...nothing, waterBottles }), 'waterKg', 0.10974],
    ['recycle', (recycledBottles) => carbonOf({ ...nothing, recycledBottles }), 'recycleKg', -0.00265],
    ['hotel', (hotelNights) => carbonOf({ ...nothing, hotelNights }), 'hotelKg', 8.85],
    ['an unknown mode', travel('ox cart'), 'travelKg', 0.12013],
    ['tracked by motor', (motorizedKm) => carbonOf({ ...nothing, motorizedKm }), 'trackedKg', 0.12013],
  ]

for (const [name, of, part, kg] of COEFFICIENTS)
  test(`${name} is ${kg} kg for one: none, one, many and a fraction come to that, in its own part and the total alone`, () => {
    for (const units of [0, 1, 1000, 12.5]) {
      const carbon = of(units)
      expect(carbon[part]).toBeCloseTo(units * kg, 9)
      expect(carbon.totalKg).toBe(carbon[part] + 0)
      const others = Object.entries(carbon).filter(([key]) => key !== part && key !== 'totalKg')
      expect(others.every(([, value]) => Math.abs(value) === 0)).toBe(true)
    }
  })

test('walking avoids what a car would have cost, and changes no total', () => {
  for (const walkedKm of [0, 1, 300])
    expect(carbonOf({ ...nothing, walkedKm })).toMatchObject({ totalKg: 0, avoidedKg: walkedKm * 0.30479 })
})

test('a mode is recognised in any notation; an unknown one counts as bus, names of JavaScript too', () => {
  expect([' HSR ', 'Car'].map(coefficientOf)).toEqual([0.07487, 0.30479])
  const unknown = ['ferry', '', 'constructor', '__proto__', 'toString', 'water', 'hotel', '高鐵']
  expect(unknown.map(coefficientOf)).toEqual(unknown.map(() => 0.12013))
})

test('a footprint is the sum of its five parts; avoided emissions are separate and never subtracted', () => {
  const carbon = carbonOf({
    travel: { hsr: 330, ferry: 10 },
    motorizedKm: 2,
    walkedKm: 100,
    waterBottles: 3,
    recycledBottles: 4,
    hotelNights: 2,
  })
  expect(carbon.travelKg).toBeCloseTo(330 * 0.07487 + 10 * 0.12013, 9)
  expect(carbon.trackedKg).toBeCloseTo(0.24026, 9)
  expect(carbon.waterKg).toBeCloseTo(0.32922, 9)
  expect(carbon.recycleKg).toBeCloseTo(-0.0106, 9)
  expect(carbon.hotelKg).toBeCloseTo(17.7, 9)
  const { travelKg, trackedKg, waterKg, recycleKg, hotelKg } = carbon
  expect(carbon.totalKg).toBeCloseTo(travelKg + trackedKg + waterKg + recycleKg + hotelKg, 9)
  expect(carbon.avoidedKg).toBeCloseTo(30.479, 9)
})

test('a participant who has done nothing has a footprint of 0', () => {
  expect(Object.values(carbonOf(nothing)).every((kg) => kg === 0)).toBe(true)
})

test('exactly 15 km/h is walking, anything faster is motorized', () => {
  expect(inferMode(14.999999)).toEqual({ motorized: false, coefficient: 0 })
  expect(inferMode(15)).toEqual({ motorized: false, coefficient: 0 })
  expect(inferMode(15.000001)).toEqual({ motorized: true, coefficient: 0.12013 })
})
