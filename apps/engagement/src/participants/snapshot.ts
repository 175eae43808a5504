import type { Database } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { Language, maskPhone, ParticipantStatus } from '@palanquin/domain/participant'
import type { Role } from '@palanquin/domain/role'
import { Survey } from '@palanquin/domain/survey'
import { toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { PendingCheckin } from './pending-checkins.ts'
import { SNAPSHOTS, SNAPSHOTS_WITHOUT_PENDING, type SnapshotRow } from './snapshot-sql.ts'

const ParticipantFields = Type.Object({
  displayName: Nullable(Type.String()),
  pictureUrl: Nullable(Type.String()),
  language: Language,
  status: ParticipantStatus,
  consent: Type.Boolean(),
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

/** A participant with the check-ins that were pending before the database is read. */
export type SnapshotRequest = { userId: string; pending: readonly PendingCheckin[] }

const surveys = Compile(Survey)

/** Reads snapshots in one statement; unknown participants are in the result too. @throws StoreUnavailable */
export async function readSnapshots(
  db: Database,
  requests: readonly SnapshotRequest[],
): Promise<Map<string, { snapshot: Snapshot; staffFields: StaffFields }>> {
  const rows = await rowsOf(db, requests)
  return new Map(
    rows.map((row) => [row.user_id, { snapshot: snapshotOf(row), staffFields: staffFieldsOf(row) }]),
  )
}

async function rowsOf(db: Database, requests: readonly SnapshotRequest[]): Promise<SnapshotRow[]> {
  const userIds = requests.map(({ userId }) => userId)
  const shards = userIds.map(shardOf)
  const waiting = requests.flatMap(({ userId, pending }) =>
    pending.map((checkin) => ({ userId, ...checkin })),
  )
  if (waiting.length === 0) {
    const rows = await db.query<SnapshotRow>(SNAPSHOTS_WITHOUT_PENDING, [userIds, shards])
    if (!rows.some(({ unsettled }) => unsettled)) return rows
  }
  return db.query<SnapshotRow>(SNAPSHOTS, [
    userIds,
    shards,
    waiting.map(({ userId }) => userId),
    waiting.map(({ entryId }) => entryId),
    waiting.map(({ recordedAtMs }) => toIso(recordedAtMs)),
  ])
}

/** Reads the snapshot of one participant. @throws StoreUnavailable */
export async function readSnapshot(
  db: Database,
  userId: string,
  pending: readonly PendingCheckin[],
): Promise<Snapshot> {
  const known = (await readSnapshots(db, [{ userId, pending }])).get(userId)
  if (!known) throw new Error('the snapshot statement returned no row')
  return known.snapshot
}

function snapshotOf(row: SnapshotRow): Snapshot {
  const { unsettled, photos, cursor, pending_checkins: pendingCheckins } = row
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

const staffFieldsOf = (row: SnapshotRow): StaffFields => ({
  phone: row.phone,
  role: row.role,
  createdAtMs: row.created_at?.getTime() ?? null,
  surveyFirstAtMs: row.survey_first_at?.getTime() ?? null,
  surveyAtMs: row.survey_completed_at?.getTime() ?? null,
})
