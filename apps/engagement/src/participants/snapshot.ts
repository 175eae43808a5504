import { Nullable } from '@palanquin/domain/optional'
import { Language, maskPhone, ParticipantStatus, Visibility } from '@palanquin/domain/participant'
import type { Role } from '@palanquin/domain/role'
import { Survey } from '@palanquin/domain/survey'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SnapshotRow } from './snapshot-sql.ts'

const ParticipantFields = Type.Object({
  displayName: Nullable(Type.String()),
  pictureUrl: Nullable(Type.String()),
  language: Language,
  status: ParticipantStatus,
  consent: Type.Boolean(),
  /** Null for somebody who was never asked. */
  consentAtMs: Nullable(Type.Number()),
  visibility: Visibility,
  /** Masked: the whole number is never cached. */
  phone: Nullable(Type.String()),
  surveyCompleted: Type.Boolean(),
  survey: Nullable(Survey),
  updatedAtMs: Type.Number(),
})

const Track = Type.Object({
  walkedKm: Type.Number(),
  motorizedKm: Type.Number(),
  checkins: Type.Integer(),
  lastSeenAtMs: Type.Number(),
})

/** A participant in the database at one point in time; plain JSON, for the cache. */
export const Snapshot = Type.Object({
  /** Null for an unregistered participant: only points are known. */
  participant: Nullable(ParticipantFields),
  /** Null before the first flush. */
  track: Nullable(Track),
  /** A late point waits for its rebuild, so the distance is about to change: not cacheable. */
  unsettled: Type.Boolean(),
  photos: Type.Integer(),
  /** How far the shard's buffer was flushed. */
  cursor: Type.String(),
  /** How many of the given pending check-ins are after the cursor and not stored. */
  pendingCheckins: Type.Integer(),
  /** A device that was joined to a LINE id: this id is in use no more. */
  isLinked: Type.Optional(Type.Literal(true)),
})
export type Snapshot = Static<typeof Snapshot>

/** Fields for organisers only, never cached. */
export type StaffFields = {
  /** Whole, in E.164. */
  phone: string | null
  role: Role | null
  createdAtMs: number | null
  surveyFirstAtMs: number | null
  surveyAtMs: number | null
}

const NOTHING = { participant: null, track: null, unsettled: false, photos: 0, pendingCheckins: 0 } as const

const surveys = Compile(Survey)

export function snapshotOf(row: SnapshotRow): Snapshot {
  const { unsettled, photos, cursor, pending_checkins: pendingCheckins } = row
  // What is left of the device is on its way to the person.
  if (row.is_linked) return { ...NOTHING, cursor, isLinked: true }
  return { participant: participantOf(row), track: trackOf(row), unsettled, photos, cursor, pendingCheckins }
}

function participantOf(row: SnapshotRow): Snapshot['participant'] {
  if (row.updated_at === null) return null
  return {
    displayName: row.display_name,
    pictureUrl: row.picture_url,
    language: row.language,
    status: row.status,
    consent: row.consent,
    consentAtMs: row.consent_at?.getTime() ?? null,
    visibility: row.visibility,
    phone: row.phone === null ? null : maskPhone(row.phone),
    surveyCompleted: row.survey_completed_at !== null,
    survey: surveys.Check(row.survey) ? row.survey : null,
    updatedAtMs: row.updated_at.getTime(),
  }
}

function trackOf(row: SnapshotRow): Snapshot['track'] {
  if (row.walked_km === null) return null
  const { walked_km: walkedKm, motorized_km: motorizedKm, checkins } = row
  return { walkedKm, motorizedKm, checkins, lastSeenAtMs: row.last_seen_at.getTime() }
}

export const staffFieldsOf = (row: SnapshotRow): StaffFields => ({
  phone: row.phone,
  role: row.role,
  createdAtMs: row.created_at?.getTime() ?? null,
  surveyFirstAtMs: row.survey_first_at?.getTime() ?? null,
  surveyAtMs: row.survey_completed_at?.getTime() ?? null,
})
