import { UserId } from '@palanquin/domain/ids'
import { INSTANT_EXPECTED, parseInstant } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'

const instant = (description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: `${description}: ${INSTANT_EXPECTED}` }),
  )

export const TrackPathParams = Type.Object({ userId: UserId })
export const TrackQueryParams = Type.Object({
  format: Type.Optional(Type.Enum(['geojson', 'gpx'], { description: 'geojson (default) or gpx (GPX 1.1)' })),
  from: instant('the first moment, included'),
  to: instant('the last moment, included'),
  filtered: Type.Optional(Type.Boolean({ description: 'true: only the points that the distance counted' })),
})
export type TrackQueryParams = Static<typeof TrackQueryParams>

/** Which points of a participant; times in epoch milliseconds, null without a bound. */
export type TrackQuery = { userId: string; from: number | null; to: number | null; filtered: boolean }

const EPOCH_MS = /^-?\d{1,16}$/
/** `+08:00` in a URL that was not encoded arrives as ` 08:00`. */
const LOST_PLUS = / (?=\d\d(?::?\d\d)?$)/
/** PostgreSQL goes further, no recording does. */
const INSTANT_MS_MAX = Date.UTC(9999, 11, 31)

/** The query of a track, or what is wrong with it. */
export function parseTrackQuery(
  userId: string,
  { from, to, filtered = false }: TrackQueryParams,
): TrackQuery | ApiError {
  const first = instantOf(from)
  const last = instantOf(to)
  if (Number.isNaN(first)) return new ApiError('invalid', `from: expected ${INSTANT_EXPECTED}`)
  if (Number.isNaN(last)) return new ApiError('invalid', `to: expected ${INSTANT_EXPECTED}`)
  if (first !== null && last !== null && first > last)
    return new ApiError('invalid', 'from: expected a time that is not after to')
  return { userId, from: first, to: last, filtered }
}

/** Null where none was given, NaN for text that is no instant. */
function instantOf(given: string | undefined): number | null {
  if (given === undefined) return null
  const ms = parseInstant(EPOCH_MS.test(given) ? Number(given) : given.replace(LOST_PLUS, '+'))
  return ms === null || ms < 0 || ms > INSTANT_MS_MAX ? Number.NaN : ms
}
