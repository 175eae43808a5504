import { type CarbonInput, carbonOf, TRAVEL_COEFFICIENTS } from '@palanquin/domain/carbon'
import { round3 } from '@palanquin/domain/round'
import Type, { type Static } from 'typebox'
import type { Sums } from './store.ts'

const kg = (description: string) => Type.Number({ description: `kg CO2e: ${description}` })
const km = (description: string) => Type.Number({ minimum: 0, description: `kilometres: ${description}` })

/** The footprint of the event in kg CO2e and km, rounded here only. */
export const CarbonAggregate = Type.Object({
  participants: Type.Integer({ minimum: 0, description: 'participants with a survey or a track' }),
  totalKg: kg('the sum of everybody'),
  avoidedKg: kg('what driving the walked kilometres would have cost'),
  byComponent: Type.Object(
    {
      travelKg: kg('travel there and back'),
      trackedKg: kg('tracked kilometres faster than 15 km/h'),
      waterKg: kg('bottles of water bought'),
      recycleKg: kg('bottles recycled, an offset'),
      hotelKg: kg('hotel nights'),
    },
    { description: 'the parts of the total' },
  ),
  byMode: Type.Array(
    Type.Object({
      mode: Type.Enum(Object.keys(TRAVEL_COEFFICIENTS), { description: 'a mode of the specification' }),
      participants: Type.Integer({ minimum: 0, description: 'who named the mode in the survey' }),
      km: km('there and back, from the surveys'),
      kg: kg('of these kilometres'),
    }),
    { description: 'a row for each mode' },
  ),
  byDay: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', description: 'a day of EVENT_TIMEZONE' }),
      motorizedKm: km('tracked, faster than 15 km/h'),
      walkedKm: km('tracked, at 15 km/h or less'),
      kg: kg('of the motorized ones'),
    }),
    { description: 'what was tracked, the earliest day first' },
  ),
})
export type CarbonAggregate = Static<typeof CarbonAggregate>

/** Modes of the specification; all others count as UNKNOWN_AS (specification 2.4). */
export const MODES: readonly string[] = Object.keys(TRAVEL_COEFFICIENTS)
export const UNKNOWN_AS = 'bus' satisfies keyof typeof TRAVEL_COEFFICIENTS

const NOTHING: CarbonInput = {
  travel: {},
  motorizedKm: 0,
  walkedKm: 0,
  waterBottles: 0,
  recycledBottles: 0,
  hotelNights: 0,
}

/** Applies the domain's function to the sums: it is linear. */
export function aggregate(sums: Sums): CarbonAggregate {
  const travel = Object.fromEntries(sums.modes.map(({ mode, km }) => [mode, km]))
  const whole = carbonOf({ ...sums, travel })
  const { travelKg, trackedKg, waterKg, recycleKg, hotelKg } = whole
  return {
    participants: sums.participants,
    totalKg: round3(whole.totalKg),
    avoidedKg: round3(whole.avoidedKg),
    byComponent: {
      travelKg: round3(travelKg),
      trackedKg: round3(trackedKg),
      waterKg: round3(waterKg),
      recycleKg: round3(recycleKg),
      hotelKg: round3(hotelKg),
    },
    byMode: MODES.map((mode) => {
      const km = travel[mode] ?? 0
      const named = sums.modes.find((row) => row.mode === mode)?.named ?? 0
      return {
        mode,
        participants: mode === UNKNOWN_AS ? sums.unknownAsNamed : named,
        km: round3(km),
        kg: round3(carbonOf({ ...NOTHING, travel: { [mode]: km } }).travelKg),
      }
    }),
    byDay: sums.days.map(({ day, motorizedKm, walkedKm }) => ({
      day,
      motorizedKm: round3(motorizedKm),
      walkedKm: round3(walkedKm),
      kg: round3(carbonOf({ ...NOTHING, motorizedKm }).trackedKg),
    })),
  }
}
