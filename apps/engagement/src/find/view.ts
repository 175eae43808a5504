import { FoundPosition } from '@palanquin/domain/find'
import { UserId } from '@palanquin/domain/ids'
import { LostKind, LostStatus } from '@palanquin/domain/lost'
import { Nullable } from '@palanquin/domain/optional'
import { maskPhone } from '@palanquin/domain/participant'
import type { Role } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { maySeeWhole } from '../lost/view.ts'
import type { LastSeen } from '../reports/participants/last-seen.ts'
import { actorFor } from '../roles/caller.ts'
import type { FoundRow, OpenCase } from './store.ts'

const FoundCase = Type.Object({
  id: Type.String({ format: 'uuid', description: 'the id of the case' }),
  kind: LostKind,
  status: LostStatus,
  about: Type.String({ description: 'what was reported; text, never markup' }),
  takenBy: Nullable(Type.String(), 'who takes care of it; null for no one yet'),
  createdAt: Iso,
})

/** A participant as an organiser finds one. */
export const FoundParticipant = Type.Object({
  userId: UserId,
  displayName: Nullable(Type.String(), 'the name that others see; null where none was given'),
  phoneMasked: Nullable(
    Type.String({ examples: ['+886•••••678'] }),
    'the phone number, masked to its last three digits; null where none is kept',
  ),
  phone: Type.Optional(
    Nullable(
      Type.String({ examples: ['+886912345678'] }),
      'the whole number, for managers and owners; left out for volunteers',
    ),
  ),
  lastPosition: Nullable(
    FoundPosition,
    'where they last were; null before the first position, and for volunteers of somebody who has withdrawn',
  ),
  battery: Nullable(
    Type.Integer({ minimum: 0, maximum: 100 }),
    'per cent, as the phone last said; null where it said nothing',
  ),
  lost: Type.Optional(
    Type.Array(FoundCase, { description: 'open cases about them, the newest first; left out without any' }),
  ),
})
export type FoundParticipant = Static<typeof FoundParticipant>

export const FoundParticipants = Type.Object({
  items: Type.Array(FoundParticipant, {
    description: 'the best matches first, of equal ones the most recently seen',
  }),
  more: Type.Boolean({ description: 'whether more match than are listed: ask for more of the name' }),
})
export type FoundParticipants = Static<typeof FoundParticipants>

/** Volunteers see no whole number, and no position of somebody who has withdrawn, as on their map. */
export function foundView(
  { userId, displayName, phone, hasWithdrawn }: FoundRow,
  { role, seen, cases }: { role: Role; seen: LastSeen | undefined; cases: readonly OpenCase[] },
): FoundParticipant {
  const isWhole = maySeeWhole(role)
  const isShown = isWhole || !hasWithdrawn
  return {
    userId,
    displayName,
    phoneMasked: phone === null ? null : maskPhone(phone),
    ...(isWhole ? { phone } : {}),
    lastPosition: isShown ? (seen?.lastPosition ?? null) : null,
    battery: isShown ? (seen?.battery ?? null) : null,
    ...(cases.length > 0 ? { lost: cases.map((one) => caseView(one, role)) } : {}),
  }
}

const caseView = ({ id, kind, status, about, takenBy, createdAt }: OpenCase, role: Role) => ({
  id,
  kind,
  status,
  about,
  takenBy: takenBy === null ? null : actorFor(role, takenBy),
  createdAt: toIso(createdAt.getTime()),
})
