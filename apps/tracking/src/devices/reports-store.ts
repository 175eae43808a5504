import type { Database } from '@palanquin/db/client'
import type { DeviceOutcome } from '@palanquin/domain/device-delivery'
import type { Battery } from '@palanquin/domain/phone-apps/reading'

/** What one request of a device came to. `lastPointAt`: of its latest stored point, epoch ms. */
export type DeviceReport = Battery & {
  deviceId: string
  userId: string
  seenAt: number
  lastPointAt?: number
  outcome: DeviceOutcome
  stored: number
  byHand: boolean
  version?: string
}

/**
 * $1: reports as JSON, $2: time zone. Only of devices that still exist: none is written for one that was erased or revoked
 * meanwhile. A report that is older than the row says nothing but its points.
 */
const SAVE = `
INSERT INTO tracking.device_reports AS known
  (device_id, user_id, seen_at, last_point_at, outcome, by_hand, battery, charging, day, points_of_day, version)
SELECT "deviceId", "userId", to_timestamp("seenAt" / 1000.0), to_timestamp("lastPointAt" / 1000.0), outcome, "byHand",
       battery, charging, (to_timestamp("seenAt" / 1000.0) AT TIME ZONE $2::text)::date, stored, version
  FROM jsonb_to_recordset($1::text::jsonb) AS new
       ("deviceId" uuid, "userId" text, "seenAt" float8, "lastPointAt" float8, outcome text, "byHand" boolean,
        battery smallint, charging boolean, stored integer, version text)
 WHERE EXISTS (SELECT FROM engagement.devices WHERE device_id = "deviceId")
ON CONFLICT (device_id) DO UPDATE SET
  user_id = excluded.user_id,
  seen_at = greatest(known.seen_at, excluded.seen_at),
  last_point_at = greatest(known.last_point_at, excluded.last_point_at),
  outcome = excluded.outcome,
  by_hand = excluded.by_hand,
  battery = coalesce(excluded.battery, known.battery),
  charging = coalesce(excluded.charging, known.charging),
  day = greatest(known.day, excluded.day),
  points_of_day = excluded.points_of_day + CASE WHEN known.day = excluded.day THEN known.points_of_day ELSE 0 END,
  version = coalesce(excluded.version, known.version)`

const FORGET = `
DELETE FROM tracking.device_reports AS report
 WHERE NOT EXISTS (SELECT FROM engagement.devices WHERE devices.device_id = report.device_id)`

/** Saves reports, one a device; days are those of `zone`. @throws StoreUnavailable */
export const saveReports =
  (db: Database, zone: string) =>
  async (rows: readonly DeviceReport[]): Promise<void> => {
    await db.query(SAVE, [JSON.stringify(rows), zone])
  }

/** Deletes the reports of devices that are no more. @throws StoreUnavailable */
export const forgetReports = async (db: Database): Promise<void> => {
  await db.query(FORGET)
}
