import { BeaconKind } from '@palanquin/domain/beacon'
import { Latitude, Longitude } from '@palanquin/domain/degrees'
import { FeedbackCategory, FeedbackStatus } from '@palanquin/domain/feedback'
import { Nullable } from '@palanquin/domain/optional'
import { Profile, Visibility } from '@palanquin/domain/participant'
import { PhoneApp } from '@palanquin/domain/phone-apps'
import { POINT_KINDS } from '@palanquin/domain/point'
import { Role } from '@palanquin/domain/role'
import { SessionKind } from '@palanquin/domain/session'
import { Iso } from '@palanquin/domain/time'
import Type from 'typebox'

const words = (description: string) =>
  Type.Object(
    { zh: Type.String({ description: 'in Chinese' }), en: Type.String({ description: 'in English' }) },
    { description },
  )
const measured = (description: string) => Nullable(Type.Number(), `${description}; null where it is unknown`)

/** Answers of the survey as `surveyInWords` gives them. */
export const AnswersInWords = Type.Array(
  Type.Object({
    id: Type.String({ description: 'the question: q1 to q10' }),
    question: words('as it was asked'),
    answer: Type.Array(words('a choice, or own words'), { description: 'what was answered' }),
  }),
)

const Submission = Type.Object({
  submittedAt: Iso,
  answers: Nullable(AnswersInWords, 'null if another version of the service stored them'),
})

const KeptPoint = Type.Object({
  recordedAt: Iso,
  receivedAt: Iso,
  kind: Type.Enum([...POINT_KINDS], { description: 'checkin or track' }),
  lat: Latitude,
  lng: Longitude,
  accuracy: measured('metres'),
  speed: measured('km/h'),
  altitude: measured('metres'),
  heading: measured('degrees from north'),
  source: Type.String({ description: 'the client that sent it' }),
  note: Nullable(Type.String(), 'the note of a check-in'),
  battery: measured('percent of the phone’s battery'),
  carriesBeacon: Type.Boolean({ description: 'whether the device carried a beacon then: in no figure' }),
})

/** `GET /user/{userId}/export`: everything that is kept of a participant. */
export const ExportDocument = Type.Object({
  exportedAt: Iso,
  profile: Type.Object(
    {
      ...Profile.properties,
      phone: Nullable(Type.String(), 'the whole number in E.164; null where none is kept'),
      role: Nullable(Role, 'a role that an organiser gave; null for none'),
      createdAt: Nullable(Iso, 'when the participant became known'),
    },
    { description: 'the profile, with what only its owner is shown' },
  ),
  consents: Type.Array(
    Type.Object({
      consent: Type.Boolean({ description: 'given, or taken back' }),
      version: Nullable(Type.String(), 'version of the text that was shown'),
      visibility: Visibility,
      recordedAt: Iso,
    }),
    { description: 'every change, oldest first' },
  ),
  survey: Nullable(Submission, 'the present answers; null where there are none'),
  surveyHistory: Type.Array(Submission, { description: 'every submission, oldest first' }),
  feedback: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid', description: 'the id of the item' }),
      category: FeedbackCategory,
      message: Type.String({ description: 'what was sent' }),
      screenshot: Nullable(Type.String(), 'its filename; null without one'),
      status: FeedbackStatus,
      reply: Nullable(Type.String(), 'the reply of the organisers'),
      createdAt: Iso,
      updatedAt: Iso,
    }),
    { description: 'what was sent with this userId' },
  ),
  photos: Type.Array(
    Type.Object({ id: Type.String({ format: 'uuid', description: 'the id of the photo' }), createdAt: Iso }),
    { description: 'photos, oldest first' },
  ),
  cards: Type.Array(Type.Object({ generatedAt: Iso }), { description: 'the share card that is kept' }),
  devices: Type.Array(
    Type.Object({
      deviceId: Type.String({ format: 'uuid', description: 'the id of the device' }),
      app: PhoneApp,
      name: Nullable(Type.String(), 'the name that its owner gave it'),
      createdAt: Iso,
    }),
    { description: 'apps that send positions, without their tokens' },
  ),
  sessions: Type.Array(
    Type.Object({
      kind: SessionKind,
      device: Nullable(Type.String(), 'a short name of the phone and its browser'),
      createdAt: Iso,
      lastSeenAt: Iso,
      expiresAt: Iso,
      endedAt: Nullable(Iso, 'when it was signed out; null while it is not'),
    }),
    { description: 'where the participant is or was signed in lately' },
  ),
  shares: Type.Array(
    Type.Object({
      createdAt: Iso,
      expiresAt: Iso,
      endedAt: Nullable(Iso, 'when it was taken back; null where it was not'),
    }),
    { description: 'links for the family, without their secrets' },
  ),
  carries: Type.Array(Type.Object({ kind: BeaconKind, name: words('the name of the beacon'), since: Iso }), {
    description: 'the beacons that the device carries',
  }),
  checkins: Type.Array(KeptPoint, { description: 'check-ins with their notes; they are in `points` too' }),
  points: Type.Array(KeptPoint, { description: 'every point with all of its fields' }),
})
