import Type, { type Static } from 'typebox'

/** A slice is some thousand points; on a slow disk it takes its time. */
export const PACK_DEADLINE_MS = 20_000

/** The participants of a shard and where they last were. */
export const READ_PARTICIPANTS = 'SELECT user_id, last_lat, last_lng FROM tracking.tracks WHERE shard = $1'

/** The hours of these participants ($1) that ended before $2 and are still rows, the earliest first. */
export const READ_HOURS = `
SELECT user_id, date_trunc('hour', recorded_at, 'UTC') AS hour, count(*)::integer AS points
  FROM tracking.points WHERE user_id = ANY($1::text[]) AND recorded_at < $2::text::timestamptz
 GROUP BY 1, 2 ORDER BY 2`

const COLUMNS =
  'recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery'

/** Hours of participants: $3 and $4 in parallel. */
const SLICE = 'unnest($3::text[], $4::text[]::timestamptz[]) AS slice (user_id, hour)'

/**
 * Packs a slice in ONE statement; `moved` is the compare and swap of a batch of the flush, so that a flush, a rebuild or an
 * erasure that read the rows before has no effect after it, and this none after theirs. $6 and $7 are the bounds of the hours.
 */
export const PACK = `
WITH moved AS (
  UPDATE tracking.flush_cursors
     SET version = version + 1, packed_until = greatest(packed_until, $5::text::timestamptz)
   WHERE shard = $1 AND version = $2 RETURNING version
), taken AS (
  DELETE FROM tracking.points AS point USING moved, ${SLICE}
   WHERE point.user_id = slice.user_id
     AND point.recorded_at >= slice.hour AND point.recorded_at < slice.hour + interval '1 hour'
     AND point.recorded_at >= $6::text::timestamptz AND point.recorded_at < $7::text::timestamptz
  RETURNING point, slice.hour
), packed AS (
  INSERT INTO tracking.packed_points
  SELECT packed.* FROM (
    SELECT array_agg(point ORDER BY (point).recorded_at, (point).kind) AS points
      FROM taken GROUP BY (point).user_id, hour ORDER BY hour, min((point).lat)) AS hours
    CROSS JOIN LATERAL tracking.pack(hours.points) AS packed
  RETURNING points
)
SELECT coalesce((SELECT sum(points) FROM packed), 0)::integer AS points,
       (SELECT count(*) FROM packed)::integer AS hours FROM moved`
export const PackedRow = Type.Object({ points: Type.Integer(), hours: Type.Integer() })
export type PackedRow = Static<typeof PackedRow>

/** Whether a day's indexes were given back. */
export const FREE_PARTITION = 'SELECT tracking.free_points_partition() AS freed'
export const FreedRow = Type.Object({ freed: Type.Boolean() })

/** Which of these hours are packed: $1 and $2 in parallel. */
export const READ_PACKED = `
SELECT user_id, hour FROM tracking.packed_points
  JOIN unnest($1::text[], $2::text[]::timestamptz[]) AS slice (user_id, hour) USING (user_id, hour)`

/** Makes rows of a slice again, the same way. */
export const OPEN = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING version
), opened AS (
  DELETE FROM tracking.packed_points AS packed USING moved, ${SLICE}
   WHERE packed.user_id = slice.user_id AND packed.hour = slice.hour
  RETURNING packed
), kept AS (
  INSERT INTO tracking.points (user_id, ${COLUMNS})
  SELECT (packed).user_id, point.* FROM opened CROSS JOIN LATERAL tracking.unpack(packed) AS point
)
SELECT version FROM moved`
