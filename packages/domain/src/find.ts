/** Finding one participant, for organisers in the field. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { BeaconPlace } from './beacon'
import { Latitude, Longitude } from './degrees'
import { UserId } from './ids'
import { Nullable } from './optional'
import { Iso } from './time'

/** Web face, section 4: whoever finds more has to say more of whom they look for. */
export const FOUND_MAX = 20
/** Fewer digits are shared by thousands of numbers. */
export const FIND_PHONE_DIGITS_MIN = 4

export const FoundPosition = Type.Object({
  lat: Latitude,
  lng: Longitude,
  recordedAt: Iso,
  place: BeaconPlace,
})
export type FoundPosition = Static<typeof FoundPosition>

/** Body of the map's `POST /internal/positions`. */
export const PositionsBody = Type.Object({
  userIds: Type.Array(UserId, { maxItems: 1000 }),
  withPlaces: Type.Boolean({
    description: 'whether county and town are wanted; without them `place` is null',
  }),
})
export type PositionsBody = Static<typeof PositionsBody>

/** Its response: of those whose position is known. */
export const LivePositions = Type.Object({
  positions: Type.Array(
    Type.Object({
      userId: UserId,
      ...FoundPosition.properties,
      battery: Nullable(
        Type.Integer({ minimum: 0, maximum: 100 }),
        'per cent; null where it is not in memory',
      ),
    }),
  ),
})
export type LivePositions = Static<typeof LivePositions>

/** More people in one place are a crowd, and no list. */
export const WITHIN_MAX = 50_000

/** Body of the map's `POST /internal/within`. */
export const WithinBody = Type.Object({
  lat: Latitude,
  lng: Longitude,
  km: Type.Number({ exclusiveMinimum: 0, maximum: 1000 }),
})
export type WithinBody = Static<typeof WithinBody>

/** Its response: nobody where there are more than `WITHIN_MAX`. */
export const WithinReply = Type.Object({ userIds: Type.Array(UserId), isTooMany: Type.Boolean() })
