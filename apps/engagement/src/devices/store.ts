import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import type { DeviceBody } from '@palanquin/domain/device'
import { DEVICE_OUTCOMES } from '@palanquin/domain/device-delivery'
import { PhoneApp } from '@palanquin/domain/phone-apps'
import type { Receipt } from '@palanquin/service/erasure-token'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type, { type Static } from 'typebox'
import { ADD_TOKEN, FORGET, ISSUE, LIST, REVOKE, REVOKE_ALL, ROTATE } from './sql.ts'

const Issued = Type.Object({ deviceId: Nullable(Type.String()), isFull: Type.Boolean() })
const Named = Type.Object({ deviceId: Type.String(), app: PhoneApp })
const Gone = Type.Object({ deviceId: Type.String() })

/** A device with the last that was heard of it. */
export type DeviceRow = Static<typeof DeviceRow>
const DeviceRow = Type.Object({
  deviceId: Type.String(),
  app: PhoneApp,
  name: Nullable(Type.String()),
  createdAt: Type.String(),
  lastSeenAt: Nullable(Type.String()),
  lastPointAt: Nullable(Type.String()),
  lastOutcome: Nullable(Type.Enum([...DEVICE_OUTCOMES])),
  byHand: Nullable(Type.Boolean()),
  battery: Nullable(Type.Integer()),
  charging: Nullable(Type.Boolean()),
  version: Nullable(Type.String()),
  pointsToday: Type.Integer(),
  oldTokenUntil: Nullable(Type.String()),
})

/** Other calls of the same participant at the same moment. */
const TRIES_MAX = 20

/** `owner`: whose devices the caller may touch; null for an administrator, of any. `by`: an administrator for the audit. */
export type Acting = { owner: string | null; by: string | null }

/** Phone apps and the hashes of their write tokens. All throw StoreUnavailable. */
export function deviceStore(db: Database) {
  return {
    /** The new device; null where the participant has as many as there may be. */
    issue: async (
      { userId, app, name }: DeviceBody,
      { hash, by, receipt }: { hash: string; by: string | null; receipt: Receipt },
    ): Promise<string | null> => {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const [row] = await db.queryAs(Issued, ISSUE, [userId, app, name ?? null, hash, by, receipt])
        if (row?.isFull) return null
        if (row?.deviceId) return row.deviceId
      }
      throw new StoreUnavailable(
        'devices',
        new Error('others were always faster, or the participant was erased'),
      )
    },
    list: (userId: string, zone: string) => db.queryAs(DeviceRow, LIST, [userId, zone]),
    /** Gives a device another token; the one before is good for a day. Undefined for an unknown device. */
    rotate: async (deviceId: string, { hash, owner, by }: Acting & { hash: string }) =>
      (await db.queryAs(Named, ROTATE, [deviceId, owner, hash, by]))[0],
    /** Gives a device one more token; returns whether there is such a device. */
    addToken: async (deviceId: string, hash: string): Promise<boolean> =>
      (await db.queryAs(Gone, ADD_TOKEN, [deviceId, hash])).length > 0,
    /** Returns whether there was such a device. */
    revoke: async (deviceId: string, { owner, by }: Acting): Promise<boolean> =>
      (await db.queryAs(Named, REVOKE, [deviceId, owner, by])).length > 0,
    /** Returns how many there were. */
    revokeAll: async (userId: string): Promise<number> =>
      (await db.queryAs(Gone, REVOKE_ALL, [userId])).length,
    forget: async (): Promise<void> => {
      await db.queryAs(Gone, FORGET)
    },
  }
}

export type DeviceStore = ReturnType<typeof deviceStore>
