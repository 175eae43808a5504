/** What clients send: the bodies of a check-in and of a track sync. Contract section 3. */
import Type, { type Static } from 'typebox'
import { Latitude, Longitude } from '../degrees'
import { UserId } from '../ids'
import { OptionalField } from '../optional'
import { PersonText } from '../text'
import { RECORDED_AT_EXPECTED, RecordedAtInput } from '../time'

/** Contract section 3. */
export const SYNC_POINTS_MAX = 1000
const NOTE_CHARACTERS_MAX = 200

// No phone exceeds these bounds: a number outside them is an error of the client, not a measurement.
export const ACCURACY_M_BOUND = 40_100_000 // round the Earth
export const SPEED_KMH_BOUND = 1_100_000 // a thousand times the speed of sound
export const ALTITUDE_M_MIN = -12_000 // below the deepest trench
export const ALTITUDE_M_MAX = 1_000_000 // above every aeroplane and most satellites

// No minimum: iOS sends -1 for unknown, in half of all fixes. `measurement` makes it null.
const Accuracy = Type.Number({ maximum: ACCURACY_M_BOUND })
const Speed = Type.Number({ maximum: SPEED_KMH_BOUND })
const Altitude = Type.Number({ minimum: ALTITUDE_M_MIN, maximum: ALTITUDE_M_MAX })
export const BATTERY_MAX = 100
const Battery = Type.Number({ maximum: BATTERY_MAX })
export const HEADING_MAX = 360
const Heading = Type.Number({ maximum: HEADING_MAX })
const NEGATIVE_IS_UNKNOWN = 'a negative number means unknown and is left out'

/** What a phone measured: degrees; accuracy and altitude in metres, speed in km/h, heading in degrees from north, battery in percent. */
const PointFields = Type.Object({
  lat: Latitude,
  lng: Longitude,
  accuracy: OptionalField(Accuracy, `metres, from 0 to ${ACCURACY_M_BOUND}; ${NEGATIVE_IS_UNKNOWN}`),
  speed: OptionalField(Speed, `km/h, from 0 to ${SPEED_KMH_BOUND}; ${NEGATIVE_IS_UNKNOWN}`),
  altitude: OptionalField(Altitude, `metres, from ${ALTITUDE_M_MIN} to ${ALTITUDE_M_MAX}`),
  heading: OptionalField(Heading, `degrees, from 0 to 360; ${NEGATIVE_IS_UNKNOWN}`),
  battery: OptionalField(
    Battery,
    `percent of the phone's battery, from 0 to ${BATTERY_MAX}; ${NEGATIVE_IS_UNKNOWN}`,
  ),
})

const Source = OptionalField(Type.String({ maxLength: 64 }), 'one of VALID_SOURCES')

/** Body of `POST /checkin`. The handler validates `source` and `recordedAt` (`parseRecordedAt`, `instantProblem`). */
export const CheckinBody = Type.Object({
  userId: UserId,
  source: Source,
  note: OptionalField(
    PersonText({ min: 0, max: NOTE_CHARACTERS_MAX }),
    `a text of at most ${NOTE_CHARACTERS_MAX} characters`,
  ),
  ...PointFields.properties,
  recordedAt: OptionalField(RecordedAtInput, RECORDED_AT_EXPECTED),
})
export type CheckinBody = Static<typeof CheckinBody>

/** An element of `points`, for the API document: `judgePoint` gives each a verdict instead of a 400 for all. */
export const SyncPoint = Type.Object({
  ...PointFields.properties,
  recordedAt: RecordedAtInput,
  source: Source,
})

/** Body of `POST /track/sync`. */
export const TrackSyncBody = Type.Object({
  userId: UserId,
  source: Source,
  points: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: SYNC_POINTS_MAX,
    description: `an array of 1 to ${SYNC_POINTS_MAX} points`,
  }),
})
export type TrackSyncBody = Static<typeof TrackSyncBody>

/** The same with its points, for the API document: an invalid point is `rejected`, and the others are accepted. */
export const TrackSyncDocument = Type.Object({
  ...TrackSyncBody.properties,
  points: Type.Array(SyncPoint, {
    minItems: 1,
    maxItems: SYNC_POINTS_MAX,
    description: `1 to ${SYNC_POINTS_MAX} points; one that is malformed, too old or too far ahead is rejected by itself`,
  }),
})
