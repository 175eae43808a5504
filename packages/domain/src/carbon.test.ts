import { expect, test } from 'bun:test'
import { carbonOf, coefficientOf, ITEM_COEFFICIENTS, inferMode } from './carbon'

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

test('a mode is known however it is written, and an unknown one counts as bus, names of JavaScript too', () => {
  expect([' HSR ', 'Car'].map(coefficientOf)).toEqual([0.07487, 0.30479])
  const unknown = ['ferry', '', 'constructor', '__proto__', 'toString', 'water', 'hotel', '高鐵']
  expect(unknown.map(coefficientOf)).toEqual(unknown.map(() => 0.12013))
})

test('a footprint is the sum of its five parts; what walking avoided is told apart and never subtracted', () => {
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

test('somebody who did nothing yet has a footprint of 0', () => {
  expect(Object.values(carbonOf(nothing)).every((kg) => kg === 0)).toBe(true)
})

test('exactly 15 km/h is walking, anything faster is motorized', () => {
  expect(inferMode(15)).toEqual({ motorized: false, coefficient: 0 })
  expect(inferMode(15.000001)).toEqual({ motorized: true, coefficient: 0.12013 })
})
