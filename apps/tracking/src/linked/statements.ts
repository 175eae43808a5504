import Type, { type Static } from 'typebox'
import { erasePoints } from '../packed/erase.ts'
import { eraseFromRollups } from '../rollup/erase.ts'

/** Devices that were joined to a LINE id and still have something stored, at most $1. */
export const READ_LINKED = `
SELECT device_id AS "deviceId", user_id AS "userId" FROM engagement.links AS link
 WHERE EXISTS (SELECT FROM tracking.tracks AS track WHERE track.user_id = link.device_id)
    OR EXISTS (SELECT FROM tracking.carried_points AS point WHERE point.user_id = link.device_id)
    OR EXISTS (SELECT FROM tracking.beacon_devices AS device WHERE device.user_id = link.device_id)
 ORDER BY device_id LIMIT $1`
export const Linked = Type.Object({ deviceId: Type.String(), userId: Type.String() })
export type Linked = Static<typeof Linked>

/** The device where the compare and swap succeeded; else null, which no row has. */
const DEVICE = '(SELECT $3::text FROM moved)'
const CARRIED =
  'recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery'

/**
 * Takes a device's rows out, once all of its points are the person's ($4): a flush that stored more of them since they were
 * read has moved the version, and nothing happens. What it carried of a beacon goes with it.
 */
export const REMOVE_DEVICE = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING cursor, version
), ${erasePoints(DEVICE)}, erased_tracks AS (
  DELETE FROM tracking.tracks WHERE user_id = ${DEVICE}
), erased_checkpoints AS (
  DELETE FROM tracking.checkpoints WHERE user_id = ${DEVICE}
), carried AS (
  DELETE FROM tracking.carried_points WHERE user_id = ${DEVICE} RETURNING ${CARRIED}
), kept_carried AS (
  INSERT INTO tracking.carried_points (user_id, ${CARRIED}) SELECT $4::text, ${CARRIED} FROM carried ON CONFLICT DO NOTHING
), erased_spans AS (
  DELETE FROM tracking.carried_spans WHERE user_id = ${DEVICE}
), carrier AS (
  DELETE FROM tracking.beacon_devices WHERE user_id = ${DEVICE} RETURNING beacon_id, since
), kept_carrier AS (
  INSERT INTO tracking.beacon_devices (user_id, beacon_id, since) SELECT $4::text, beacon_id, since FROM carrier
  ON CONFLICT DO NOTHING
), ${eraseFromRollups({ userId: DEVICE, shard: '$1' })}
SELECT cursor, version FROM moved`
