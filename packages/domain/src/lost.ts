/** Lost and found: what is reported of somebody who is missing, or was found. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { Latitude, Longitude } from './degrees'
import { UserId } from './ids'
import { Nullable, OptionalField } from './optional'
import { PersonText } from './text'

/** Volunteers whose last position is at most so far from the place of a case are notified. */
export const NOTIFIED_WITHIN_KM = 5

export const LOST_KINDS = ['lost', 'found'] as const
export const LostKind = Type.Enum([...LOST_KINDS], { description: 'lost or found' })
export type LostKind = Static<typeof LostKind>

export const LOST_STATUSES = ['open', 'taken', 'closed'] as const
export const LostStatus = Type.Enum([...LOST_STATUSES], { description: 'open, taken or closed' })
export type LostStatus = Static<typeof LostStatus>

const ABOUT_CHARACTERS_MAX = 1000
const NOTES_CHARACTERS_MAX = 2000
const REPLY_CHARACTERS_MAX = 1000
const TAKEN_BY_CHARACTERS_MAX = 100
const PHONE_UNITS_MAX = 40

const About = PersonText({ max: ABOUT_CHARACTERS_MAX })
const Phone = Type.String({
  minLength: 1,
  maxLength: PHONE_UNITS_MAX,
  description: 'a phone number, of Taiwan or beginning with + and a country code',
})
export const LostPlace = Type.Object(
  { lat: Latitude, lng: Longitude },
  { description: 'where the person was last seen, or is now' },
)
export type LostPlace = Static<typeof LostPlace>
const Photo = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}(\\.png)?$',
  description: 'a filename that feedback-upload gave',
})

const reported = {
  kind: LostKind,
  about: About,
  place: OptionalField(LostPlace, 'where the person was last seen, or is now; left out if unknown'),
  photo: OptionalField(Photo, 'a filename that feedback-upload gave'),
}

/** Body of `POST /lost`: text, never markup. */
export const LostBody = Type.Object({
  ...reported,
  phone: Phone,
  editToken: OptionalField(
    Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    '256 random bits as base64url, made by a client that may send the report again: with the same ones it is stored once. The token is that of the answer',
  ),
})
export type LostBody = Static<typeof LostBody>

/** Body of `PATCH /lost/{id}` from its reporter, by the edit token. */
export const LostCloseBody = Type.Object({
  status: Type.Literal('closed', { description: 'closed: the person was found again' }),
})

/** Body of `POST /admin/lost`: a case that somebody brought to the organisers. */
export const AdminLostBody = Type.Object({
  ...reported,
  phone: OptionalField(Phone, 'of the person who asked; left out if unknown'),
  userId: OptionalField(UserId, 'the participant whom it is about, if that is known'),
  notes: OptionalField(PersonText({ max: NOTES_CHARACTERS_MAX }), 'for organisers alone'),
})
export type AdminLostBody = Static<typeof AdminLostBody>

/** Body of `PATCH /admin/lost/{id}`: what is left out stays, null removes. */
export const LostPatch = Type.Partial(
  Type.Object({
    kind: LostKind,
    about: About,
    phone: Nullable(Phone, 'a phone number; null removes it'),
    place: Nullable(LostPlace, 'the last place that is known; volunteers near it are notified'),
    userId: Nullable(UserId, 'the participant whom it is about: volunteers near their position are notified'),
    status: LostStatus,
    takenBy: Nullable(
      PersonText({ max: TAKEN_BY_CHARACTERS_MAX }),
      'who takes care of it; left out, the caller who sets `taken`',
    ),
    notes: Nullable(PersonText({ min: 0, max: NOTES_CHARACTERS_MAX }), 'for organisers alone'),
    reply: Nullable(
      PersonText({ min: 0, max: REPLY_CHARACTERS_MAX }),
      'words to the reporter; an empty text or null removes the earlier ones',
    ),
  }),
)
export type LostPatch = Static<typeof LostPatch>

/** What a volunteer's message needs to know of a case. Neither phone number nor reporter. */
export const LostNotification = Type.Object({
  kind: LostKind,
  about: Type.String(),
  /** The place of the report, and the last position of the participant. */
  places: Type.Array(LostPlace),
})
export type LostNotification = Static<typeof LostNotification>

/** How many people get a message about a report, at once or within a minute. */
export const LostRecipients = Type.Object(
  {
    volunteers: Type.Integer({ minimum: 0, description: 'within 5 km of the place' }),
    owners: Type.Integer({
      minimum: 0,
      description: 'organisers: where no volunteer is near, or many report',
    }),
  },
  { description: 'how many get a message about it, at once or within a minute' },
)
export type LostRecipients = Static<typeof LostRecipients>

/** Body of the chat bot's `POST /internal/lost-recipients`. */
export const LostRecipientsBody = Type.Object({ places: Type.Array(LostPlace, { maxItems: 1 }) })

/** Body of the map's `POST /internal/nearby`. */
export const NearbyBody = Type.Object({
  userIds: Type.Array(UserId, { maxItems: 1000 }),
  places: Type.Array(LostPlace, { minItems: 1, maxItems: 4 }),
  withinKm: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
})
