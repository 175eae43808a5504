import type { Row } from '@palanquin/db/client'
import type { Language, ParticipantStatus } from '@palanquin/domain/participant'
import type { Role } from '@palanquin/domain/role'

/**
 * One statement sees stored check-ins and the flush cursor at one time, so a pending check-in (read from Redis BEFORE)
 * counts once, even while a flush runs. Check-ins are recounted while a late point waits for its rebuild.
 */
export const SNAPSHOTS = `
WITH buffered AS (
  SELECT user_id, recorded_at::timestamptz AS recorded_at,
    split_part(entry_id, '-', 1)::numeric AS ms, split_part(entry_id, '-', 2)::numeric AS seq
  FROM unnest($3::text[], $4::text[], $5::text[]) AS list (user_id, entry_id, recorded_at)
), requested AS (${requested()}
), pending AS (
  SELECT buffered.user_id, count(DISTINCT buffered.recorded_at) AS checkins
  FROM buffered JOIN requested USING (user_id)
  WHERE (buffered.ms, buffered.seq)
          > (split_part(requested.cursor, '-', 1)::numeric, split_part(requested.cursor, '-', 2)::numeric)
    AND NOT EXISTS (SELECT 1 FROM tracking.points AS stored
                     WHERE stored.user_id = buffered.user_id AND stored.recorded_at = buffered.recorded_at
                       AND stored.kind = 0)
  GROUP BY buffered.user_id
)
${snapshot({
  checkins: `CASE WHEN t.needs_rebuild
    THEN (SELECT count(*) FROM tracking.points AS stored WHERE stored.user_id = requested.user_id AND kind = 0)
    ELSE t.checkins
  END`,
  pendingCheckins: 'coalesce(pending.checkins, 0)',
})}
LEFT JOIN pending USING (user_id)`

/**
 * The same without pending check-ins: PostgreSQL would plan every partition of points even when none is read. An
 * `unsettled` row needs the whole statement.
 */
export const SNAPSHOTS_WITHOUT_PENDING = `
WITH requested AS (${requested()}
)
${snapshot({ checkins: 't.checkins', pendingCheckins: '0' })}`

function requested(): string {
  return `
  SELECT list.user_id, coalesce(c.cursor, '0-0') AS cursor
  FROM unnest($1::text[], $2::integer[]) AS list (user_id, shard)
  LEFT JOIN tracking.flush_cursors AS c USING (shard)`
}

function snapshot({ checkins, pendingCheckins }: { checkins: string; pendingCheckins: string }): string {
  return `SELECT
  requested.user_id, requested.cursor,
  p.display_name, p.picture_url, p.language, p.status, p.consent, p.phone,
  p.survey_completed_at, p.survey_first_at, p.survey, p.created_at, p.updated_at,
  t.walked_km, t.motorized_km, t.last_seen_at, coalesce(t.needs_rebuild, false) AS unsettled,
  ${checkins} AS checkins,
  (SELECT count(*) FROM media.photos WHERE photos.user_id = requested.user_id) AS photos,
  ${pendingCheckins} AS pending_checkins,
  r.role
FROM requested
LEFT JOIN engagement.participants AS p USING (user_id)
LEFT JOIN tracking.tracks AS t USING (user_id)
LEFT JOIN engagement.roles AS r USING (user_id)`
}

/** A row of both; for an unknown participant all but the id and the counts is null. */
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
