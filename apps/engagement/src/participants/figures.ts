import type { Database, Row } from '@palanquin/db/client'
import { shardOf } from '@palanquin/domain/ids'
import { Nullable } from '@palanquin/domain/optional'
import { Language, maskPhone, ParticipantStatus } from '@palanquin/domain/participant'
import { Survey } from '@palanquin/domain/survey'
import { toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { PendingCheckin } from './pending.ts'

const Person = Type.Object({
  displayName: Nullable(Type.String()),
  pictureUrl: Nullable(Type.String()),
  language: Language,
  status: ParticipantStatus,
  consent: Type.Boolean(),
  /** Masked: the whole number is in the database alone. */
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

/** What the database knows of a participant at one moment. Plain JSON: it is what the cache keeps. */
export const Figures = Type.Object({
  /** Null for somebody of whom only points are known. */
  person: Nullable(Person),
  /** Null before the first flush of one of their points. */
  track: Nullable(Track),
  /** A late point waits to be worked in: the distance follows within a moment, so this is not worth keeping. */
  unsettled: Type.Boolean(),
  photos: Type.Integer(),
  /** How far the participant's shard of the buffer was stored at this moment. */
  cursor: Type.String(),
  /** Of the pending check-ins that were asked about: how many are behind the cursor and not stored yet. */
  pendingCheckins: Type.Integer(),
})
export type Figures = Static<typeof Figures>

/**
 * One statement, so one moment: what is stored, how far the shard has been flushed, and which of the pending
 * check-ins (read from Redis BEFORE) that leaves. A flush between the two moves a check-in from one sum to the
 * other, never into both or neither. While a late point waits for its rebuild the check-ins are counted anew.
 */
const FIGURES = `
SELECT
  p.user_id, p.display_name, p.picture_url, p.language, p.status, p.consent, p.phone,
  p.survey_completed_at, p.survey, p.updated_at,
  t.walked_km, t.motorized_km, t.last_seen_at, coalesce(t.needs_rebuild, false) AS unsettled,
  CASE WHEN t.needs_rebuild
    THEN (SELECT count(*) FROM tracking.points WHERE user_id = $1 AND kind = 0)
    ELSE t.checkins
  END AS checkins,
  (SELECT count(*) FROM media.photos WHERE user_id = $1) AS photos,
  c.cursor,
  (SELECT count(DISTINCT waiting.recorded_at)
     FROM (SELECT split_part(entry_id, '-', 1)::numeric AS ms, split_part(entry_id, '-', 2)::numeric AS seq,
                  recorded_at::timestamptz AS recorded_at
             FROM unnest($3::text[], $4::text[]) AS list (entry_id, recorded_at)) AS waiting
    WHERE (waiting.ms, waiting.seq)
            > (split_part(c.cursor, '-', 1)::numeric, split_part(c.cursor, '-', 2)::numeric)
      AND NOT EXISTS (SELECT 1 FROM tracking.points AS stored
                       WHERE stored.user_id = $1 AND stored.recorded_at = waiting.recorded_at
                         AND stored.kind = 0)) AS pending_checkins
FROM (SELECT coalesce((SELECT cursor FROM tracking.flush_cursors WHERE shard = $2), '0-0') AS cursor) AS c
LEFT JOIN engagement.participants AS p ON p.user_id = $1
LEFT JOIN tracking.tracks AS t ON t.user_id = $1`

type FiguresRow = Row & {
  user_id: string | null
  display_name: string | null
  picture_url: string | null
  language: Language
  status: ParticipantStatus
  consent: boolean
  phone: string | null
  survey_completed_at: Date | null
  survey: unknown
  updated_at: Date
  walked_km: number | null
  motorized_km: number
  last_seen_at: Date
  checkins: number
  unsettled: boolean
  photos: number
  cursor: string
  pending_checkins: number
}

const surveys = Compile(Survey)

/** Reads a participant's figures. @throws StoreUnavailable */
export async function readFigures(
  db: Database,
  userId: string,
  pending: readonly PendingCheckin[],
): Promise<Figures> {
  const [row] = await db.query<FiguresRow>(FIGURES, [
    userId,
    shardOf(userId),
    pending.map(({ entryId }) => entryId),
    pending.map(({ recordedAtMs }) => toIso(recordedAtMs)),
  ])
  if (!row) throw new Error('the figures of a participant are always one row')
  return {
    person: personOf(row),
    track: trackOf(row),
    unsettled: row.unsettled,
    photos: row.photos,
    cursor: row.cursor,
    pendingCheckins: row.pending_checkins,
  }
}

function personOf(row: FiguresRow): Figures['person'] {
  if (row.user_id === null) return null
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

function trackOf(row: FiguresRow): Figures['track'] {
  if (row.walked_km === null) return null
  const { walked_km: walkedKm, motorized_km: motorizedKm, checkins } = row
  return { walkedKm, motorizedKm, checkins, lastSeenAtMs: row.last_seen_at.getTime() }
}
