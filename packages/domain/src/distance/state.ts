/** The schema of a stored track, checked before continuing from it. */
import Type from 'typebox'
import { Latitude, Longitude } from '../degrees'
import { Nullable } from '../optional'
import { POINT_KINDS } from '../point'
import { INSTANT_MS_MAX } from '../time'

export const Instant = Type.Integer({ minimum: -INSTANT_MS_MAX, maximum: INSTANT_MS_MAX })
export const Km = Type.Number({ minimum: 0 })
export const Count = Type.Integer({ minimum: 0 })
const accuracy = Nullable(Type.Number())
const Fix = Type.Object({ lat: Latitude, lng: Longitude, recordedAt: Instant, accuracy })

const rules = { anchor: Nullable(Fix), noise: Type.Array(Fix), walkedKm: Km, motorizedKm: Km }
const Guard = Type.Object({
  settled: Type.Object(rules),
  tail: Type.Array(Fix),
  stay: Nullable(Type.Object({ lat: Latitude, lng: Longitude, accuracy })),
})
/** A `Track` as it is stored. */
export const TrackState = Type.Object({
  ...rules,
  points: Count,
  checkins: Count,
  last: Nullable(Type.Object({ recordedAt: Instant, kind: Type.Enum([...POINT_KINDS]) })),
  lastFix: Nullable(Fix),
  guard: Type.Optional(Guard),
})
