import { isDue, UNLOCKED_EVENT, unlocking } from '../achievements/due.ts'
import { iso } from '../iso-timestamp.ts'

/** Strictly increasing even when the clock is set back; whole milliseconds. */
const NEXT_SINCE = `greatest(date_trunc('milliseconds', clock_timestamp()), since + interval '1 millisecond')`

const DETAIL = `jsonb_strip_nulls(jsonb_build_object('status', status, 'message', message))`

/** The change, its audit entry and its event in one statement; no row where nothing changed. */
const changing = (condition: string) => `
WITH changed AS (
  UPDATE engagement.activity
  SET status = $1::text, since = ${NEXT_SINCE}, by = $2::text, message = $3::text::jsonb
  WHERE id = 1 AND ${condition}
  RETURNING status, since, by, message
), audited AS (
  INSERT INTO engagement.audit (type, by, at, detail)
  SELECT 'activity.changed', by, since, ${DETAIL} FROM changed
), emitted AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'activity.changed', jsonb_build_object('status', status, 'since', ${iso('since')}, 'by', by) FROM changed
)
SELECT status, since, by FROM changed`

export const SET = changing(`status NOT IN ('ended', $1::text)`)
export const END = changing(`status <> $1::text`)

/** Another message for the present pause; emits no event. */
export const REWORD = `
WITH changed AS (
  UPDATE engagement.activity SET message = $1::text::jsonb
  WHERE id = 1 AND status = 'paused' AND message IS DISTINCT FROM $1::text::jsonb
  RETURNING status, message
)
INSERT INTO engagement.audit (type, by, detail) SELECT 'activity.changed', $2::text, ${DETAIL} FROM changed`

/**
 * Stores the outcome and emits `activity.ended`, once. Achievements still due are unlocked in the same statement, so
 * their events precede `activity.ended` even when the consumer of `track.advanced` lags.
 */
export const CONCLUDE = `
WITH totals AS (
  SELECT count(*) AS participants, coalesce(sum(t.checkins), 0) AS checkins, coalesce(sum(t.points), 0) AS points,
    coalesce(sum(t.walked_km), 0) AS walked_km, coalesce(sum(t.motorized_km), 0) AS motorized_km,
    count(*) FILTER (WHERE ${isDue('t.checkins')}) AS unlocked
  FROM engagement.participants AS p FULL JOIN tracking.tracks AS t USING (user_id)
), concluded AS (
  UPDATE engagement.activity SET outcome = (
    SELECT jsonb_build_object('endedAt', ${iso('since')}, 'by', by, 'participants', participants,
      'checkins', checkins, 'points', points, 'distanceKm', walked_km + motorized_km, 'walkedKm', walked_km,
      'motorizedKm', motorized_km, 'unlocked', unlocked, 'flushedAt', $1::text)
    FROM totals)
  WHERE id = 1 AND status = 'ended' AND outcome IS NULL
  RETURNING since, by
), audited AS (
  INSERT INTO engagement.audit (type, by) SELECT 'activity.ended', by FROM concluded
), ${unlocking('EXISTS (SELECT FROM concluded)')}
INSERT INTO engagement.outbox (type, data)
SELECT type, data FROM (
  SELECT 1 AS place, 'achievement.unlocked' AS type, ${UNLOCKED_EVENT} AS data FROM unlocked
  UNION ALL
  SELECT 2, 'activity.ended', jsonb_build_object('at', ${iso('since')}, 'by', by) FROM concluded
) AS emitted ORDER BY place`
