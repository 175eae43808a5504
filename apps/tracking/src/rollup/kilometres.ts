import type { CountedKm } from '@palanquin/domain/distance/tally'
import { toIso } from '@palanquin/domain/time'

/** A participant's kilometres by quarter of an hour, as JSON rows of the statements; PostgreSQL sums them by hour. */
export const kilometreRows = (userId: string, counted: readonly CountedKm[]) =>
  counted.map(({ quarter, walkedKm, motorizedKm }) => ({
    u: userId,
    quarter: toIso(quarter),
    walked: walkedKm,
    motorized: motorizedKm,
  }))
