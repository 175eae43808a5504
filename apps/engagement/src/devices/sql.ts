import { unlessErased } from '@palanquin/db/unless-erased'
import { DEVICES_MAX, ROTATION_MS, UNUSED_DAYS_MAX } from '@palanquin/domain/device'
import { iso } from '../iso-timestamp.ts'
import { PARTICIPANT_CHANGED } from '../participants/sql.ts'

/** What administrators do for somebody is in the audit; `by` is null for people themselves. */
const audited = (type: string, from: string, by: string) => `audited AS (
  INSERT INTO engagement.audit (type, by, detail)
  SELECT '${type}', ${by}::text, jsonb_build_object('userId', user_id, 'app', app) FROM ${from} WHERE ${by}::text IS NOT NULL
)`

/** Notifies tracking that what it knows of the tokens is out of date. */
const announced = (from: string) => `announced AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'device.changed', jsonb_build_object('deviceId', device_id) FROM ${from}
)`

/**
 * $1 userId, $2 app, $3 name, $4 the token's hash, $5 who acts, $6 the receipt. Each device has one of ten slots, so that two calls at once
 * make no eleventh: without a row another call took the slot, or they were erased, and `isFull` says that there was none.
 */
export const ISSUE = `
WITH changed AS (
  INSERT INTO engagement.participants (user_id) SELECT $1::text WHERE ${unlessErased('$6')}
  ON CONFLICT (user_id) DO NOTHING RETURNING *
), ${PARTICIPANT_CHANGED}, free AS (
  SELECT slot FROM generate_series(1, ${DEVICES_MAX}) AS numbers (slot)
   WHERE NOT EXISTS (SELECT FROM engagement.devices WHERE user_id = $1::text AND devices.slot = numbers.slot)
   ORDER BY slot LIMIT 1
), made AS (
  INSERT INTO engagement.devices (user_id, slot, app, name) SELECT $1::text, slot, $2::text, $3::text FROM free
   WHERE ${unlessErased('$6')}
  ON CONFLICT (user_id, slot) DO NOTHING RETURNING device_id, user_id, app
), tokened AS (
  INSERT INTO engagement.device_tokens (token_hash, device_id) SELECT $4::text, device_id FROM made
), ${audited('device.issued', 'made', '$5')}
SELECT (SELECT device_id FROM made) AS "deviceId", NOT EXISTS (SELECT FROM free) AS "isFull"`

/** $1 userId, $2 time zone. */
export const LIST = `
SELECT device.device_id AS "deviceId", app, name, ${iso('device.created_at')} AS "createdAt",
       ${iso('report.seen_at')} AS "lastSeenAt", ${iso('report.last_point_at')} AS "lastPointAt",
       report.outcome AS "lastOutcome", report.by_hand AS "byHand", report.battery, report.charging, report.version,
       CASE WHEN report.day = (now() AT TIME ZONE $2::text)::date THEN report.points_of_day ELSE 0 END AS "pointsToday",
       (SELECT ${iso('max(expires_at)')} FROM engagement.device_tokens AS token
         WHERE token.device_id = device.device_id AND expires_at > now()) AS "oldTokenUntil"
  FROM engagement.devices AS device LEFT JOIN tracking.device_reports AS report USING (device_id)
 WHERE device.user_id = $1::text ORDER BY slot`

/** $1 device, $2 the owner that the caller is, null for an administrator, $3 the new hash, $4 who acts. */
export const ROTATE = `
WITH device AS (
  SELECT device_id, user_id, app FROM engagement.devices
   WHERE device_id = $1::uuid AND ($2::text IS NULL OR user_id = $2::text) FOR UPDATE
), expired AS (
  DELETE FROM engagement.device_tokens USING device
   WHERE device_tokens.device_id = device.device_id AND expires_at <= now()
), expiring AS (
  UPDATE engagement.device_tokens SET expires_at = now() + interval '${ROTATION_MS} milliseconds' FROM device
   WHERE device_tokens.device_id = device.device_id AND expires_at IS NULL
), tokened AS (
  INSERT INTO engagement.device_tokens (token_hash, device_id) SELECT $3::text, device_id FROM device
), ${announced('device')}, ${audited('device.rotated', 'device', '$4')}
SELECT device_id AS "deviceId", app FROM device`

/** $1 device, $2 the hash of another token, which is as good as the first. */
export const ADD_TOKEN = `
INSERT INTO engagement.device_tokens (token_hash, device_id)
SELECT $2::text, device_id FROM engagement.devices WHERE device_id = $1::uuid RETURNING device_id AS "deviceId"`

/** $1 device, $2 the owner that the caller is, null for an administrator, $3 who acts. */
export const REVOKE = `
WITH gone AS (
  DELETE FROM engagement.devices WHERE device_id = $1::uuid AND ($2::text IS NULL OR user_id = $2::text)
  RETURNING device_id, user_id, app
), ${announced('gone')}, ${audited('device.revoked', 'gone', '$3')}
SELECT device_id AS "deviceId", app FROM gone`

/** The part of a WITH that revokes all phone apps of a person, `gone`, and their set-up links. */
export const withDevicesRevoked = (user: string) => `setups_gone AS (
  DELETE FROM engagement.setup_links WHERE user_id = ${user}
), gone AS (
  DELETE FROM engagement.devices WHERE user_id = ${user} RETURNING device_id
), ${announced('gone')}`

/** $1 userId: before an erasure, so that nothing arrives after it. */
export const REVOKE_ALL = `
WITH ${withDevicesRevoked('$1::text')}
SELECT device_id AS "deviceId" FROM gone`

/**
 * The part of a WITH by which the apps of a device ($1) send for the person ($2) that it was joined to, `linked`: into slots
 * that are free, above ten where there are too many.
 */
export const WITH_DEVICES_MOVED = `setups AS (
  UPDATE engagement.setup_links SET user_id = linked.user_id FROM linked WHERE setup_links.user_id = $1::text
), apps AS (
  UPDATE engagement.devices SET user_id = linked.user_id, slot = place.slot
    FROM linked, (
      SELECT device_id, free.slot
        FROM (SELECT device_id, row_number() OVER (ORDER BY slot) AS at FROM engagement.devices WHERE user_id = $1::text) AS own
        JOIN (SELECT slot, row_number() OVER (ORDER BY slot) AS at FROM generate_series(1, 1000) AS numbers (slot)
               WHERE NOT EXISTS (SELECT FROM engagement.devices WHERE user_id = $2::text AND devices.slot = numbers.slot)
             ) AS free USING (at)
    ) AS place
   WHERE devices.device_id = place.device_id
  RETURNING devices.device_id
), ${announced('apps')}`

/** Devices that sent nothing for long since the end of the activity, and tokens that are over. */
export const FORGET = `
WITH ended AS (
  SELECT since FROM engagement.activity WHERE status = 'ended'
), gone AS (
  DELETE FROM engagement.devices AS device USING ended
   WHERE greatest(ended.since, device.created_at,
           (SELECT seen_at FROM tracking.device_reports AS report WHERE report.device_id = device.device_id))
         < now() - interval '${UNUSED_DAYS_MAX} days'
  RETURNING device_id
), over AS (
  DELETE FROM engagement.device_tokens WHERE expires_at <= now()
), ${announced('gone')}
SELECT device_id AS "deviceId" FROM gone`
