import { type Database, isDuplicateKey } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import {
  type BeaconBody,
  BeaconKind,
  CARRYING_ACCURACY_M_MAX,
  type DeviceFix,
} from '@palanquin/domain/beacon'
import Type, { type Static } from 'typebox'
import * as statements from './sql.ts'

/** More than any procession has vehicles. */
export const BEACONS_MAX = 50

const Id = Type.Object({ id: Type.String() })
const Row = Type.Object({
  id: Type.String(),
  kind: BeaconKind,
  name_zh: Type.String(),
  name_en: Type.String(),
  devices: Type.Array(Type.String()),
})
const CarriedRow = Type.Object({ user_id: Type.String(), beacon_id: Type.String() })
const FixRow = Type.Object({
  user_id: Type.String(),
  recorded_at: Timestamp,
  lat: Type.Number(),
  lng: Type.Number(),
  accuracy: Nullable(Type.Number()),
})

export type StoredBeacon = { id: string } & BeaconBody
export type BeaconChange = Partial<BeaconBody>

const beaconOf = ({ id, kind, name_zh: zh, name_en: en, devices }: Static<typeof Row>): StoredBeacon => ({
  ...{ id, kind, devices, name: { zh, en } },
})

/** Beacons as organisers set them. All throw StoreUnavailable. */
export function beaconStore(db: Database) {
  /** Null also when another call gave one of the devices to a beacon meanwhile. */
  const first = async (statement: string, parameters: Parameters<Database['query']>[1]) => {
    try {
      return (await db.queryAs(Id, statement, parameters))[0]?.id ?? null
    } catch (error) {
      if (isDuplicateKey(error)) return null
      throw error
    }
  }
  const fixes = async (statement: string, devices: readonly string[], since: Date): Promise<DeviceFix[]> => {
    const parameters = [devices, since.toISOString(), CARRYING_ACCURACY_M_MAX]
    const rows = await db.queryAs(FixRow, statement, parameters)
    return rows.map(({ user_id: deviceId, recorded_at, lat, lng, accuracy: accuracyM }) => ({
      ...{ deviceId, lat, lng, accuracyM },
      recordedAtMs: recorded_at.getTime(),
    }))
  }
  return {
    list: async (): Promise<StoredBeacon[]> => (await db.queryAs(Row, statements.LIST)).map(beaconOf),
    /** Its id; null when a device carries another beacon, or there are as many beacons as there may be. */
    add: ({ kind, name, devices }: BeaconBody, by: string): Promise<string | null> =>
      first(statements.ADD, [by, kind, name.zh, name.en, devices, BEACONS_MAX]),
    /** Its id; null when there is no such beacon, or a device carries another one. */
    change: (id: string, { kind, name, devices }: BeaconChange, by: string): Promise<string | null> =>
      first(statements.CHANGE, [
        ...[by, id, kind ?? null, name?.zh ?? null, name?.en ?? null],
        devices !== undefined,
        devices ?? [],
      ]),
    remove: async (id: string, by: string): Promise<boolean> =>
      (await first(statements.DELETE, [by, id])) !== null,
    /** Which of these devices carry a beacon already, and which. */
    carried: async (devices: readonly string[]): Promise<{ device: string; beaconId: string }[]> =>
      (await db.queryAs(CarriedRow, statements.CARRIED, [devices])).map((row) => ({
        device: row.user_id,
        beaconId: row.beacon_id,
      })),
    /** Accurate stored fixes of devices since a time, in order. */
    fixesSince: (devices: readonly string[], since: Date) => fixes(statements.STORED_FIXES, devices, since),
    /** The latest accurate stored fix of each device, of those that it sent since a time while it carried. */
    latestCarried: (devices: readonly string[], since: Date) =>
      fixes(statements.LATEST_CARRIED_FIXES, devices, since),
  }
}

export type BeaconStore = ReturnType<typeof beaconStore>
