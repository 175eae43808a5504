import { UserId } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { OwnProfile, ParticipantStatus, Profile, Visibility } from '@palanquin/domain/participant'
import { Iso } from '@palanquin/domain/time'
import { describe } from '@palanquin/service/http/openapi'
import Type from 'typebox'
import { PROFILE, USER_ID } from './examples.ts'

const PhoneAnswer = Type.Object({
  userId: UserId,
  phone: Nullable(Type.String(), 'the number, masked to its last three digits; null once it is removed'),
})
const ConsentAnswer = Type.Object({
  userId: UserId,
  consent: Type.Boolean({ description: 'whether their position may be shown to the public' }),
  version: Nullable(Type.String(), 'version of the consent text; null where none was given'),
  recordedAt: Iso,
  visibility: Type.Optional(Visibility),
})
const StatusAnswer = Type.Object({ userId: UserId, status: ParticipantStatus })

/** To the public without the last fields. */
const ProfileAnswer = Type.Object({
  ...Profile.properties,
  visibility: Type.Optional(OwnProfile.properties.visibility),
  consentAt: Type.Optional(OwnProfile.properties.consentAt),
})

const tags = ['participants']
export const GET_PROFILE = describe({
  summary: 'A participant: profile and statistics',
  description:
    'Check-ins count at once, kilometres follow the flush of the buffer (every five minutes). Statistics may be up to 60 seconds old. With a session or LIFF ID token of the participant the answer has `visibility` and `consentAt` as well: others never learn them.',
  tags,
  answers: { 200: { description: 'the profile', data: ProfileAnswer, example: PROFILE } },
  apiErrors: ['invalid', 'notFound', 'unavailable'],
})

export const SYNC = describe({
  summary: 'Create a participant, or update the fields given',
  description: 'Characters that change the direction of text are removed from the display name.',
  tags,
  example: { userId: USER_ID, displayName: '林媽媽', language: 'zh-TW' },
  answers: { 200: { description: 'the profile', data: Profile, example: PROFILE } },
  apiErrors: ['invalid', 'unavailable'],
})

export const PHONE = describe({
  summary: 'Set or remove the phone number',
  description: 'Read as a Taiwanese number unless it starts with +. Null removes it.',
  tags,
  example: { userId: USER_ID, phone: '0912-345-678' },
  answers: {
    200: {
      description: 'the number, masked',
      data: PhoneAnswer,
      example: { userId: USER_ID, phone: '+886•••••678' },
    },
  },
  apiErrors: ['invalid', 'unavailable'],
})

export const PRIVACY = describe({
  summary: 'Record the privacy consent, or its withdrawal',
  description:
    'Each change is stored with its time. Without consent a position is in no public response. With it, `visibility` says what others see: `crowd` is counted in /density alone, `anonymous` is in /data without a name, `named` (when it is left out) with the name. The response repeats a visibility that was given.',
  tags,
  example: { userId: USER_ID, consent: true, version: '2026-1', visibility: 'anonymous' },
  answers: {
    200: {
      description: 'the consent as it stands',
      data: ConsentAnswer,
      example: {
        userId: USER_ID,
        consent: true,
        version: '2026-1',
        recordedAt: '2026-05-01T15:00:00.000Z',
        visibility: 'anonymous',
      },
    },
  },
  apiErrors: ['invalid', 'unavailable'],
})

export const STATUS = describe({
  summary: "Set a participant's status",
  description:
    'active → completed, active → withdrawn, withdrawn → active; the same again is fine. Positions of a participant who has withdrawn are refused.',
  tags,
  example: { userId: USER_ID, status: 'completed' },
  answers: {
    200: {
      description: 'the status as it stands',
      data: StatusAnswer,
      example: { userId: USER_ID, status: 'completed' },
    },
  },
  apiErrors: ['invalid', 'conflict', 'unavailable'],
})
