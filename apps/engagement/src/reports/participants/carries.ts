import type { Database } from '@palanquin/db/client'
import { Beacon } from '@palanquin/domain/beacon'
import Type, { type Static } from 'typebox'

/** A beacon as the list of participants names it. */
export const CarriedBeacon = Type.Object({ id: Beacon.properties.id, name: Beacon.properties.name })
export type CarriedBeacon = Static<typeof CarriedBeacon>

const READ_CARRIED = `
SELECT d.user_id, b.id, b.name_zh, b.name_en FROM tracking.beacon_devices AS d JOIN tracking.beacons AS b ON b.id = d.beacon_id
 WHERE d.user_id = ANY ($1::text[])`
const CarriedRow = Type.Object({
  user_id: Type.String(),
  id: Type.String(),
  name_zh: Type.String(),
  name_en: Type.String(),
})

/** The beacons that these devices carry, by user id. @throws StoreUnavailable */
export async function readCarried(
  db: Database,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, CarriedBeacon>> {
  if (userIds.length === 0) return new Map()
  const rows = await db.queryAs(CarriedRow, READ_CARRIED, [userIds])
  return new Map(rows.map(({ user_id, id, name_zh: zh, name_en: en }) => [user_id, { id, name: { zh, en } }]))
}
