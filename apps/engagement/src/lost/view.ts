import { UserId } from '@palanquin/domain/ids'
import { LostKind, LostPlace, LostRecipients, LostStatus } from '@palanquin/domain/lost'
import { Nullable } from '@palanquin/domain/optional'
import { maskPhone } from '@palanquin/domain/participant'
import { ROLE_LEVEL, type Role } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { actorFor } from '../roles/caller.ts'
import type { LostCase } from './store.ts'

const LostId = Type.String({ format: 'uuid', description: 'the id of a case' })
const Reply = Nullable(Type.String(), 'words of the organisers to the reporter; null before them')

const shownToReporter = {
  id: LostId,
  kind: LostKind,
  status: LostStatus,
  createdAt: Iso,
  updatedAt: Iso,
  reply: Reply,
}

/** A case as its reporter sees it, by the edit token. */
export const OwnCase = Type.Object(shownToReporter, { additionalProperties: false })
export type OwnCase = Static<typeof OwnCase>

/** The response to a report. */
export const ReportedCase = Type.Object(
  {
    id: LostId,
    status: LostStatus,
    editToken: Type.String({ description: 'for X-Feedback-Token; it is shown this once' }),
    notified: LostRecipients,
  },
  { additionalProperties: false },
)
export type ReportedCase = Static<typeof ReportedCase>

/** A case as organisers see it. */
export const StaffCase = Type.Object(
  {
    ...shownToReporter,
    about: Type.String({ description: 'what was reported; text, never markup' }),
    phone: Nullable(
      Type.String(),
      'of the reporter: masked for volunteers, whole for managers and owners; null where there is none',
    ),
    place: Nullable(LostPlace, 'the last place that is known; null without one'),
    photo: Nullable(Type.String(), 'for /feedback-image/{filename}.png; null without one'),
    userId: Nullable(UserId, 'the participant whom it is about, for managers and owners; null where unknown'),
    takenBy: Nullable(Type.String(), 'who takes care of it; null for no one yet'),
    notes: Nullable(Type.String(), 'for organisers alone; null without any'),
    closedAt: Nullable(Iso, 'null while it is not closed'),
  },
  { additionalProperties: false },
)
export type StaffCase = Static<typeof StaffCase>

export const ownView = ({ id, kind, status, createdAt, updatedAt, reply }: LostCase): OwnCase => ({
  id,
  kind,
  status,
  reply,
  createdAt: toIso(createdAt.getTime()),
  updatedAt: toIso(updatedAt.getTime()),
})

export const placeOf = ({ lat, lng }: Pick<LostCase, 'lat' | 'lng'>): LostPlace | null =>
  lat === null || lng === null ? null : { lat, lng }

/** Whole phone numbers and `userId`s are for those who may list participants. */
export const maySeeWhole = (role: Role): boolean => ROLE_LEVEL[role] >= ROLE_LEVEL.manager

export function staffView(row: LostCase, role: Role): StaffCase {
  const { about, phone, photo, userId, takenBy, notes, closedAt } = row
  const isWhole = maySeeWhole(role)
  return {
    ...ownView(row),
    about,
    photo,
    notes,
    place: placeOf(row),
    phone: phone === null || isWhole ? phone : maskPhone(phone),
    userId: isWhole ? userId : null,
    takenBy: takenBy === null ? null : actorFor(role, takenBy),
    closedAt: closedAt === null ? null : toIso(closedAt.getTime()),
  }
}
