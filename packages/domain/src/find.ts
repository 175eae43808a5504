/** Finding one participant, for organisers in the field. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { BeaconPlace } from './beacon'
import { Latitude, Longitude } from './geo'
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
export const PositionsBody = Type.Object({ userIds: Type.Array(UserId, { maxItems: FOUND_MAX }) })

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
