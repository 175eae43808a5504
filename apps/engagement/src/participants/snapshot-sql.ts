import type { Row } from '@palanquin/db/client'
import type { Language, ParticipantStatus } from '@palanquin/domain/participant'
import type { Role } from '@palanquin/domain/role'

/**
 * One statement, so one moment: what is stored, how far the shards have been flushed, and which of the pending
 * check-ins (read from Redis BEFORE) that leaves. A flush between the two moves a check-in from one sum to the
 * other, never into both or neither. While a late point waits for its rebuild the check-ins are counted anew.
 */
export const SNAPSHOTS = `
WITH waiting AS (
  SELECT user_id, recorded_at::timestamptz AS recorded_at,
    split_part(entry_id, '-', 1)::numeric AS ms, split_part(entry_id, '-', 2)::numeric AS seq
  FROM unnest($3::text[], $4::text[], $5::text[]) AS list (user_id, entry_id, recorded_at)
), asked AS (${asked()}
), pending AS (
  SELECT waiting.user_id, count(DISTINCT waiting.recorded_at) AS checkins
  FROM waiting JOIN asked USING (user_id)
  WHERE (waiting.ms, waiting.seq)
          > (split_part(asked.cursor, '-', 1)::numeric, split_part(asked.cursor, '-', 2)::numeric)
    AND NOT EXISTS (SELECT 1 FROM tracking.points AS stored
                     WHERE stored.user_id = waiting.user_id AND stored.recorded_at = waiting.recorded_at
                       AND stored.kind = 0)
  GROUP BY waiting.user_id
)
${snapshot({
  checkins: `CASE WHEN t.needs_rebuild
    THEN (SELECT count(*) FROM tracking.points AS stored WHERE stored.user_id = asked.user_id AND kind = 0)
    ELSE t.checkins
  END`,
  pendingCheckins: 'coalesce(pending.checkins, 0)',
})}
LEFT JOIN pending USING (user_id)`

/**
 * The same where nothing is pending of anybody: it does not name the points, whose partitions PostgreSQL prepares for each
 * look, one by one, whether it goes into them or not. Of a row that is `unsettled` its check-ins are to be asked for by the whole
 * statement.
 */
export const SNAPSHOTS_WITHOUT_PENDING = `
WITH asked AS (${asked()}
)
${snapshot({ checkins: 't.checkins', pendingCheckins: '0' })}`

function asked(): string {
  return `
  SELECT list.user_id, coalesce(c.cursor, '0-0') AS cursor
  FROM unnest($1::text[], $2::integer[]) AS list (user_id, shard)
  LEFT JOIN tracking.flush_cursors AS c USING (shard)`
}

function snapshot({ checkins, pendingCheckins }: { checkins: string; pendingCheckins: string }): string {
  return `SELECT
  asked.user_id, asked.cursor,
  p.display_name, p.picture_url, p.language, p.status, p.consent, p.phone,
  p.survey_completed_at, p.survey_first_at, p.survey, p.created_at, p.updated_at,
  t.walked_km, t.motorized_km, t.last_seen_at, coalesce(t.needs_rebuild, false) AS unsettled,
  ${checkins} AS checkins,
  (SELECT count(*) FROM media.photos WHERE photos.user_id = asked.user_id) AS photos,
  ${pendingCheckins} AS pending_checkins,
  r.role
FROM asked
LEFT JOIN engagement.participants AS p USING (user_id)
LEFT JOIN tracking.tracks AS t USING (user_id)
LEFT JOIN engagement.roles AS r USING (user_id)`
}

/** A row of both. Of somebody who is not known everything but the id and the counts is null. */
export type SnapshotRow = Row & {
  user_id: string
  display_name: string | null
  picture_url: string | null
  language: Language
  status: ParticipantStatus
  consent: boolean
  phone: string | null
  survey_completed_at: Date | null
  survey_first_at: Date | null
  survey: unknown
  created_at: Date | null
  updated_at: Date | null
  walked_km: number | null
  motorized_km: number
  last_seen_at: Date
  checkins: number
  unsettled: boolean
  photos: number
  cursor: string
  pending_checkins: number
  role: Role | null
}
