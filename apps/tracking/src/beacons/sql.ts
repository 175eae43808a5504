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

/** All beacons with their devices and since when each carries, in epoch ms. */
export const FOLLOWED = `
SELECT b.id, b.kind, b.name_zh, b.name_en,
       array_agg(d.user_id ORDER BY d.user_id) FILTER (WHERE d.user_id IS NOT NULL) AS devices,
       array_agg(floor(extract(epoch FROM d.since) * 1000)::float8 ORDER BY d.user_id) FILTER (WHERE d.user_id IS NOT NULL) AS since
  FROM tracking.beacons b LEFT JOIN tracking.beacon_devices d ON d.beacon_id = b.id
 GROUP BY b.id ORDER BY (b.kind = 'palanquin') DESC, b.created_at, b.id`

/**
 * Accurate stored fixes of devices ($1) that were recorded from $2 and received from $3 on, of those sent while carrying: the
 * last of each $5 seconds, so that a second's fixes of a half day are 8,640 rows.
 */
export const STORED_FIXES = `
SELECT DISTINCT ON (user_id, date_bin($5::double precision * interval '1 second', recorded_at, 'epoch'))
       user_id, recorded_at, lat, lng, accuracy
  FROM unnest($1::text[], $2::text[], $3::text[]) AS device (id, first, since)
  JOIN tracking.carried_points
    ON user_id = device.id AND recorded_at >= device.first::timestamptz AND received_at >= device.since::timestamptz
 WHERE accuracy IS NULL OR accuracy <= $4::double precision
 ORDER BY user_id, date_bin($5::double precision * interval '1 second', recorded_at, 'epoch'), recorded_at DESC`
