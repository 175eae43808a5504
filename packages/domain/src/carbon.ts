/** Carbon: the factors, and a participant's footprint. Specification 2.4 and 2.5, contract section 2. */
import Type, { type Static } from 'typebox'

/** kg CO2e per kilometre, by means of transport. Source: specification 2.4, which names no other. */
export const TRAVEL_COEFFICIENTS = {
  walk: 0,
  car: 0.30479,
  scooter: 0.13734,
  bike: 0.0122,
  bus: 0.12013,
  mrt: 0.07575,
  train: 0.07575,
  hsr: 0.07487,
} as const

/** kg CO2e per bottle of 500 ml, per recycled bottle (an offset), per hotel night (specification 2.4). */
export const ITEM_COEFFICIENTS = { waterBottle: 0.10974, recycledBottle: -0.00265, hotelNight: 8.85 } as const

/** Specification 2.5: exactly this fast is still walking. */
export const WALKING_SPEED_KMH_MAX = 15

/** Specification 2.5: the unified factor of everything faster, kg CO2e per kilometre. */
const MOTORIZED_COEFFICIENT = 0.12013

const coefficients: ReadonlyMap<string, number> = new Map(Object.entries(TRAVEL_COEFFICIENTS))

/** A mode as the table writes it: trimmed, small letters. */
export function normaliseMode(mode: string): string {
  return mode.trim().toLowerCase()
}

/** kg CO2e per kilometre of a mode; an unknown one counts as bus (specification 2.4). */
export function coefficientOf(mode: string): number {
  return coefficients.get(normaliseMode(mode)) ?? TRAVEL_COEFFICIENTS.bus
}

/** Specification 2.5: the kind of movement at a speed, and its factor in kg CO2e per kilometre. */
export function inferMode(speedKmh: number): { motorized: boolean; coefficient: number } {
  const motorized = speedKmh > WALKING_SPEED_KMH_MAX
  return { motorized, coefficient: motorized ? MOTORIZED_COEFFICIENT : 0 }
}

const kg = (description: string) => Type.Number({ minimum: 0, description })

/** A participant's footprint in kg CO2e. */
export const Carbon = Type.Object(
  {
    travelKg: kg('travel there and back, from the survey'),
    trackedKg: kg('tracked kilometres faster than 15 km/h'),
    waterKg: kg('bottles of water bought'),
    recycleKg: Type.Number({ maximum: 0, description: 'bottles recycled, an offset' }),
    hotelKg: kg('hotel nights'),
    totalKg: Type.Number({ description: 'the sum of the five before' }),
    avoidedKg: kg('what driving the walked kilometres would have cost; never subtracted'),
  },
  { description: 'the carbon footprint in kg CO2e' },
)
export type Carbon = Static<typeof Carbon>

export type CarbonInput = {
  /** Kilometres by mode, there and back: question q3. */
  travel: Readonly<Record<string, number>>
  /** Tracked on the way, by speed. */
  motorizedKm: number
  walkedKm: number
  waterBottles: number
  recycledBottles: number
  hotelNights: number
}

/** The footprint, unrounded; `totalKg` is the sum of the five before it. */
export function carbonOf(input: CarbonInput): Carbon {
  let travelKg = 0
  for (const [mode, km] of Object.entries(input.travel)) travelKg += km * coefficientOf(mode)
  const trackedKg = input.motorizedKm * MOTORIZED_COEFFICIENT
  const waterKg = input.waterBottles * ITEM_COEFFICIENTS.waterBottle
  const recycleKg = input.recycledBottles * ITEM_COEFFICIENTS.recycledBottle
  const hotelKg = input.hotelNights * ITEM_COEFFICIENTS.hotelNight
  return {
    travelKg,
    trackedKg,
    waterKg,
    recycleKg,
    hotelKg,
    totalKg: travelKg + trackedKg + waterKg + recycleKg + hotelKg,
    avoidedKg: input.walkedKm * TRAVEL_COEFFICIENTS.car,
  }
}
