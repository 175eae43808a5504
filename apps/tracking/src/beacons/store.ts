import { type Database, isDuplicateKey } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import {
  type BeaconBody,
  BeaconKind,
  CARRYING_ACCURACY_M_MAX,
  type DeviceFix,
} from '@palanquin/domain/beacon'
import { toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import * as statements from './sql.ts'
import { SLOT_MS } from './trail.ts'

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

const FollowedRow = Type.Object({
  ...Row.properties,
  devices: Nullable(Row.properties.devices),
  since: Nullable(Type.Array(Type.Number())),
})

/** A beacon as it is followed; of each device, since when it carries it, in epoch ms. */
export type FollowedBeacon = Omit<StoredBeacon, 'devices'> & { devices: ReadonlyMap<string, number> }
export type StoredBeacon = { id: string } & BeaconBody
export type BeaconChange = Partial<BeaconBody>

const beaconOf = ({ id, kind, name_zh: zh, name_en: en, devices }: Static<typeof Row>): StoredBeacon => ({
  id,
  kind,
  devices,
  name: { zh, en },
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
    followed: async (): Promise<FollowedBeacon[]> =>
      (await db.queryAs(FollowedRow, statements.FOLLOWED)).map(({ devices, since, ...row }) => ({
        id: row.id,
        kind: row.kind,
        name: { zh: row.name_zh, en: row.name_en },
        devices: new Map(
          (devices ?? []).map((device, at) => [device, since?.[at] ?? Number.POSITIVE_INFINITY]),
        ),
      })),
    /** Accurate stored fixes that devices sent while carrying, recorded `from` and received `since` a time in epoch ms, in order. */
    storedFixes: async (
      wanted: readonly { device: string; since: number; from: number }[],
      oldest: Date,
    ): Promise<DeviceFix[]> => {
      const parameters = [
        wanted.map(({ device }) => device),
        wanted.map(({ from }) => toIso(Math.max(from, oldest.getTime()))),
        wanted.map(({ since }) => toIso(since)),
        CARRYING_ACCURACY_M_MAX,
        SLOT_MS / 1_000,
      ]
      const rows = await db.queryAs(FixRow, statements.STORED_FIXES, parameters)
      const fixes = rows.map(({ user_id: deviceId, recorded_at, lat, lng, accuracy: accuracyM }) => ({
        deviceId,
        lat,
        lng,
        accuracyM,
        recordedAtMs: recorded_at.getTime(),
      }))
      return fixes.sort((a, b) => a.recordedAtMs - b.recordedAtMs)
    },
  }
}

export type BeaconStore = ReturnType<typeof beaconStore>
