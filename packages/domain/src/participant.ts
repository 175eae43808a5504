/** A participant: the profile, and how the status changes. Contract section 2. */
import Type, { type Static } from 'typebox'
import { Achievement } from './achievement'
import { Carbon } from './carbon'
import type { Change } from './change'
import { UserId } from './ids'
import { LANGUAGES } from './language'
import { LevelAnswer } from './level'
import { Nullable, OptionalField } from './optional'
import { PersonText } from './text'
import { Iso } from './time'

export { maskPhone } from './phone'
export { round3 } from './round'

export const PARTICIPANT_STATUSES = ['active', 'completed', 'withdrawn'] as const
export const ParticipantStatus = Type.Enum([...PARTICIPANT_STATUSES], {
  description: 'active, completed or withdrawn',
})
export type ParticipantStatus = Static<typeof ParticipantStatus>

/** What a consent shows: nothing, a count in the crowd, a dot without a name, or with it. */
export const VISIBILITIES = ['hidden', 'crowd', 'anonymous', 'named'] as const
export const Visibility = Type.Enum([...VISIBILITIES], {
  description: 'hidden (counted nowhere), crowd (counted only), anonymous (a dot without a name) or named',
})
export type Visibility = Static<typeof Visibility>
export const DEFAULT_VISIBILITY: Visibility = 'named'

export const Language = Type.Enum([...LANGUAGES], { description: 'zh-TW or en' })

export const DISPLAY_NAME_CHARACTERS_MAX = 100
export const PICTURE_URL_CHARACTERS_MAX = 500

const allowedChanges: Readonly<Record<ParticipantStatus, readonly ParticipantStatus[]>> = {
  active: ['completed', 'withdrawn'],
  completed: [],
  withdrawn: ['active'],
}

/** Whether a participant's status may change to another; the same status changes nothing. */
export function changeParticipant(from: ParticipantStatus, to: ParticipantStatus): Change {
  if (from === to) return { changed: false }
  if (allowedChanges[from].includes(to)) return { changed: true }
  return { refused: `A participant who is ${from} cannot become ${to}.` }
}

/** Whether check-ins and tracks are taken: a withdrawn participant gets a 403. */
export function mayTrack(status: ParticipantStatus): boolean {
  return status !== 'withdrawn'
}

const PictureUrl = Type.String({
  maxLength: PICTURE_URL_CHARACTERS_MAX,
  pattern: '^https://[^\\s"<>\\\\^`{|}/?#][^\\s"<>\\\\^`{|}]*$',
})

/** Body of `POST /user/sync`. Null is treated as left out. */
export const UserSyncBody = Type.Object({
  userId: UserId,
  displayName: OptionalField(
    PersonText({ max: DISPLAY_NAME_CHARACTERS_MAX }),
    `a text of 1 to ${DISPLAY_NAME_CHARACTERS_MAX} characters`,
  ),
  pictureUrl: OptionalField(
    PictureUrl,
    `an https address of at most ${PICTURE_URL_CHARACTERS_MAX} characters`,
  ),
  language: OptionalField(Language, 'zh-TW or en'),
})
export type UserSyncBody = Static<typeof UserSyncBody>

/** Body of `POST /user/phone`. The service validates the number; null removes it. */
export const PhoneBody = Type.Object({
  userId: UserId,
  phone: Nullable(Type.String({ minLength: 1, maxLength: 40 }), 'a phone number, or null to remove it'),
})
export type PhoneBody = Static<typeof PhoneBody>

/** Body of `POST /privacy`. A visibility that is left out is `named`. */
export const PrivacyBody = Type.Object({
  userId: UserId,
  consent: Type.Boolean({ description: 'true or false' }),
  version: OptionalField(Type.String({ maxLength: 32 }), 'a text of at most 32 characters'),
  visibility: OptionalField(Visibility, 'hidden, crowd, anonymous or named'),
})
export type PrivacyBody = Static<typeof PrivacyBody>

/** Body of `POST /participant-status`. */
export const ParticipantStatusBody = Type.Object({ userId: UserId, status: ParticipantStatus })
export type ParticipantStatusBody = Static<typeof ParticipantStatusBody>

const Km = (description: string) => Type.Number({ minimum: 0, description })

/** The response of `GET /user/{userId}` and `POST /user/sync`. */
export const Profile = Type.Object({
  userId: UserId,
  displayName: Nullable(Type.String(), 'the name that others see; null where none was given'),
  pictureUrl: Nullable(Type.String(), 'https address of the picture; null where none was given'),
  language: Nullable(Language, 'the language of messages; null where none was chosen'),
  status: ParticipantStatus,
  privacyConsent: Type.Boolean({ description: 'whether their position may be shown to the public' }),
  surveyCompleted: Type.Enum([0, 1], { description: '1 once the survey was submitted' }),
  hasPhone: Type.Boolean({ description: 'whether a phone number is kept' }),
  phone: Nullable(
    Type.String({ examples: ['+886•••••678'] }),
    'the phone number, masked to its last three digits; null where none is kept',
  ),
  distanceKm: Km('kilometres that count: walked and motorized; they follow the flush'),
  walkedKm: Km('of them at 15 km/h or less'),
  motorizedKm: Km('of them faster'),
  checkins: Type.Integer({ minimum: 0, description: 'check-ins, those that wait for the flush among them' }),
  photos: Type.Integer({ minimum: 0, description: 'photos that were sent' }),
  level: LevelAnswer,
  carbon: Carbon,
  achievement: Achievement,
  lastSeenAt: Nullable(Iso, 'when something last came from them; null where nothing did'),
})
export type Profile = Static<typeof Profile>

/** The response of `GET /user/{userId}` to the person themselves. */
export const OwnProfile = Type.Object({
  ...Profile.properties,
  visibility: Nullable(
    Visibility,
    'what the consent shows of them: hidden, crowd, anonymous or named; null without a consent',
  ),
  consentAt: Nullable(
    Iso,
    'when they last gave consent or took it back; null for somebody who was never asked',
  ),
})
export type OwnProfile = Static<typeof OwnProfile>
