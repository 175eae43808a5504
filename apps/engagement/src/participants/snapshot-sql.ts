import { Nullable, Timestamp } from '@palanquin/db/rows'
import { Language, ParticipantStatus, Visibility } from '@palanquin/domain/participant'
import { Role } from '@palanquin/domain/role'
import Type, { type Static } from 'typebox'

/**
 * One statement sees stored check-ins and the flush cursor at one time, so a pending check-in (read from Redis BEFORE)
 * counts once, even while a flush runs; one that was made while carrying a beacon does not count. Check-ins are recounted while a late point waits for its rebuild.
 * Stored check-ins are looked up by count and key: NOT EXISTS becomes a join that reads all points of the participant.
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
    AND (SELECT count(*) FROM tracking.all_points AS stored
          WHERE stored.user_id = buffered.user_id AND stored.recorded_at = buffered.recorded_at
            AND stored.hour = date_trunc('hour', buffered.recorded_at, 'UTC') AND stored.kind = 0) = 0
    AND NOT EXISTS (SELECT 1 FROM tracking.carrying
                     WHERE carrying.user_id = buffered.user_id AND carrying.since <= buffered.recorded_at
                       AND buffered.recorded_at < coalesce(carrying.until, 'infinity'))
  GROUP BY buffered.user_id
)
${snapshot({
  checkins: `CASE WHEN t.needs_rebuild
    THEN (SELECT coalesce(sum(stored.checkins), 0) FROM tracking.stored_checkins AS stored WHERE stored.user_id = requested.user_id)
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
  p.display_name, p.picture_url, p.language, p.status, p.consent, p.consent_at, p.visibility, p.phone,
  p.survey_completed_at, p.survey_first_at, p.survey, p.created_at, p.updated_at,
  t.walked_km, t.motorized_km, t.last_seen_at, coalesce(t.needs_rebuild, false) AS unsettled,
  ${checkins} AS checkins,
  (SELECT count(*) FROM media.photos WHERE photos.user_id = requested.user_id) AS photos,
  ${pendingCheckins} AS pending_checkins,
  l.device_id IS NOT NULL AS is_linked,
  r.role
FROM requested
LEFT JOIN engagement.participants AS p USING (user_id)
LEFT JOIN tracking.tracks AS t USING (user_id)
LEFT JOIN engagement.roles AS r USING (user_id)
LEFT JOIN (SELECT device_id FROM engagement.links) AS l ON l.device_id = requested.user_id`
}

/**
 * A row of both for a registered participant with a track; a test compares it. For others the columns of the missing
 * row are null, as `updated_at` and `walked_km` show. Not checked at run time: it is the hot path of profiles.
 */
export const SnapshotRow = Type.Object({
  user_id: Type.String(),
  display_name: Nullable(Type.String()),
  picture_url: Nullable(Type.String()),
  language: Language,
  status: ParticipantStatus,
  consent: Type.Boolean(),
  consent_at: Nullable(Timestamp),
  visibility: Visibility,
  phone: Nullable(Type.String()),
  survey_completed_at: Nullable(Timestamp),
  survey_first_at: Nullable(Timestamp),
  survey: Type.Unknown(),
  created_at: Nullable(Timestamp),
  updated_at: Nullable(Timestamp),
  walked_km: Nullable(Type.Number()),
  motorized_km: Type.Number(),
  last_seen_at: Timestamp,
  checkins: Type.Integer(),
  unsettled: Type.Boolean(),
  photos: Type.Integer(),
  cursor: Type.String(),
  pending_checkins: Type.Integer(),
  is_linked: Type.Boolean(),
  role: Nullable(Role),
})
export type SnapshotRow = Static<typeof SnapshotRow>
