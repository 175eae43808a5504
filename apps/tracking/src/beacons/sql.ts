/** Beacons and their devices; each write is one statement, and reports the act to the audit by the outbox. */

const DEVICES = `coalesce((
  SELECT array_agg(d.user_id ORDER BY d.user_id) FROM tracking.beacon_devices d WHERE d.beacon_id = b.id
), '{}') AS devices`

/** All beacons, the palanquins first, with their devices. */
export const LIST = `
SELECT b.id, b.kind, b.name_zh, b.name_en, ${DEVICES} FROM tracking.beacons b
ORDER BY (b.kind = 'palanquin') DESC, b.created_at, b.id`

/** $1 is the caller as the audit names them; the rows of the change are named by $2. */
const reported = (action: string): string => `
INSERT INTO tracking.outbox (type, data)
SELECT 'admin.acted', jsonb_build_object('action', '${action}', 'by', $1::text, 'detail', jsonb_build_object('id', id, 'name', name_zh))
FROM changed`

/** Nothing changes, and no row comes back, when a device carries another beacon, or there are $6 beacons. */
export const ADD = `
WITH changed AS (
  INSERT INTO tracking.beacons (kind, name_zh, name_en)
  SELECT $2::text, $3::text, $4::text
  WHERE (SELECT count(*) FROM tracking.beacons) < $6::integer
    AND NOT EXISTS (SELECT FROM tracking.beacon_devices WHERE user_id = ANY ($5::text[]))
  RETURNING id, name_zh
), carried AS (
  INSERT INTO tracking.beacon_devices (user_id, beacon_id)
  SELECT DISTINCT device, changed.id FROM changed, unnest($5::text[]) AS device
), reported AS (${reported('beacon.added')})
SELECT id FROM changed`

/**
 * A null leaves a column as it is; $6 says whether the devices are set. Nothing changes, and no row comes back, when there
 * is no such beacon, or a device carries another one.
 */
export const CHANGE = `
WITH changed AS (
  UPDATE tracking.beacons SET
    kind = coalesce($3::text, kind),
    name_zh = coalesce($4::text, name_zh),
    name_en = coalesce($5::text, name_en)
  WHERE id = $2::uuid AND NOT ($6::boolean AND EXISTS (
    SELECT FROM tracking.beacon_devices WHERE user_id = ANY ($7::text[]) AND beacon_id <> $2::uuid
  ))
  RETURNING id, name_zh
), released AS (
  DELETE FROM tracking.beacon_devices USING changed
  WHERE $6::boolean AND beacon_id = changed.id AND user_id <> ALL ($7::text[])
  RETURNING user_id, since
), ended AS (
  INSERT INTO tracking.carried_spans (user_id, since, until) SELECT user_id, since, now() FROM released
), carried AS (
  INSERT INTO tracking.beacon_devices (user_id, beacon_id)
  SELECT DISTINCT device, changed.id FROM changed, unnest($7::text[]) AS device
  WHERE $6::boolean AND NOT EXISTS (SELECT FROM tracking.beacon_devices d WHERE d.user_id = device AND d.beacon_id = changed.id)
), reported AS (${reported('beacon.changed')})
SELECT id FROM changed`

export const DELETE = `
WITH changed AS (
  DELETE FROM tracking.beacons WHERE id = $2::uuid RETURNING id, name_zh
), ended AS (
  INSERT INTO tracking.carried_spans (user_id, since, until)
  SELECT user_id, since, now() FROM changed JOIN tracking.beacon_devices AS d ON d.beacon_id = changed.id
), reported AS (${reported('beacon.deleted')})
SELECT id FROM changed`

export const CARRIED = `SELECT user_id, beacon_id FROM tracking.beacon_devices WHERE user_id = ANY ($1::text[])`

/** Accurate stored fixes of devices since $2, sent while carrying or before, in order: what a trail is drawn from. */
export const STORED_FIXES = `
SELECT user_id, recorded_at, lat, lng, accuracy FROM (${[
  ['all_points', "AND hour > $2::timestamptz - interval '1 hour'"],
  ['carried_points', ''],
]
  .map(
    ([table, onlyHours]) => `
  SELECT user_id, recorded_at, lat, lng, accuracy FROM tracking.${table}
   WHERE user_id = ANY ($1::text[]) AND recorded_at >= $2::timestamptz ${onlyHours}
     AND (accuracy IS NULL OR accuracy <= $3::double precision)`,
  )
  .join('\n  UNION ALL')}
) AS fixes ORDER BY recorded_at`

/** The latest accurate stored fix of each device since $2, of those sent while carrying. */
export const LATEST_CARRIED_FIXES = `
SELECT latest.* FROM unnest($1::text[]) AS device CROSS JOIN LATERAL (
  SELECT user_id, recorded_at, lat, lng, accuracy FROM tracking.carried_points
   WHERE user_id = device AND recorded_at >= $2::timestamptz
     AND (accuracy IS NULL OR accuracy <= $3::double precision)
   ORDER BY recorded_at DESC LIMIT 1
) AS latest`
