import { UserId } from '@palanquin/domain/ids'
import { INSTANT_EXPECTED, parseInstant } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'

const moment = (description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: `${description}: ${INSTANT_EXPECTED}` }),
  )

export const TrackParams = Type.Object({ userId: UserId })
export const TrackQuery = Type.Object({
  format: Type.Optional(Type.Enum(['geojson', 'gpx'], { description: 'geojson (default) or gpx (GPX 1.1)' })),
  from: moment('the first moment, included'),
  to: moment('the last moment, included'),
  filtered: Type.Optional(Type.Boolean({ description: 'true: only the points that the distance counted' })),
})
export type TrackQuery = Static<typeof TrackQuery>

/** Which points of a participant are asked for; times in epoch milliseconds, null without a bound. */
export type Question = { userId: string; from: number | null; to: number | null; filtered: boolean }

const EPOCH_MS = /^-?\d{1,16}$/
/** `+08:00` in an address that was not encoded arrives as ` 08:00`. */
const LOST_PLUS = / (?=\d\d(?::?\d\d)?$)/
/** Further than PostgreSQL counts, nobody has walked. */
const MOMENT_MAX_MS = Date.UTC(9999, 11, 31)

/** What is asked for, or why it cannot be understood. */
export function questionOf(userId: string, { from, to, filtered = false }: TrackQuery): Question | ApiError {
  const first = instantOf(from)
  const last = instantOf(to)
  if (Number.isNaN(first)) return new ApiError('invalid', `from: expected ${INSTANT_EXPECTED}`)
  if (Number.isNaN(last)) return new ApiError('invalid', `to: expected ${INSTANT_EXPECTED}`)
  if (first !== null && last !== null && first > last)
    return new ApiError('invalid', 'from: expected a time that is not after to')
  return { userId, from: first, to: last, filtered }
}

/** Null where none was given, NaN where it is none. */
function instantOf(given: string | undefined): number | null {
  if (given === undefined) return null
  const ms = parseInstant(EPOCH_MS.test(given) ? Number(given) : given.replace(LOST_PLUS, '+'))
  return ms === null || ms < 0 || ms > MOMENT_MAX_MS ? Number.NaN : ms
}
