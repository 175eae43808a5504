import type { Database } from '@palanquin/db/client'
import { DEVICE_PREFIX, LinkBody } from '@palanquin/domain/session'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type from 'typebox'
import type { Sender } from '../participants/store.ts'
import {
  DEVICE_OF_CODE,
  DEVICES,
  FINISH,
  LINK,
  MERGE_LATE,
  NAMED_LATE,
  READ_LINK,
  UNFINISHED,
} from './sql.ts'

const Person = Type.Object({ userId: Type.String() })
const Device = Type.Object({ deviceId: Type.String() })

/** Devices that were joined to LINE ids. All throw StoreUnavailable. */
export function linkStore(db: Database) {
  return {
    /** Joins a device to a person; returns to whom it is joined now, which is another where that was done before. */
    link: async (device: Sender, person: Sender): Promise<string> => {
      const receipts = [device.receipt, person.receipt]
      const [linked] = await db.queryAs(Person, LINK, [device.userId, person.userId, ...receipts])
      const [known] = linked ? [linked] : await db.queryAs(Person, READ_LINK, [device.userId])
      if (!known) throw new StoreUnavailable('list of links', new Error('one of the two was erased'))
      return known.userId
    },
    /**
     * Whose a write is that names this id: of a device that was joined, the person's; any other's own. The id of such a device
     * must not become a participant again.
     */
    ownerOf: async (userId: string): Promise<string> => {
      if (!userId.startsWith(DEVICE_PREFIX)) return userId
      const [known] = await db.queryAs(Person, READ_LINK, [userId])
      return known?.userId ?? userId
    },
    /** The devices that were ever joined to a person. */
    devicesOf: async (userId: string): Promise<string[]> =>
      (await db.queryAs(Device, DEVICES, [userId])).map(({ deviceId }) => deviceId),
    /** The device that a recovery code belongs to. */
    deviceOfCode: async (codeHash: string): Promise<string | null> => {
      const [device] = await db.queryAs(Device, DEVICE_OF_CODE, [codeHash])
      return device?.deviceId ?? null
    },
    /** Links that a service has yet to do its part of: of a person, or the oldest of all. */
    unfinished: (userId: string | null) => db.queryAs(LinkBody, UNFINISHED, [userId]),
    /** Devices that were joined a moment ago, and under whose ids something was written since. */
    namedLate: () => db.queryAs(LinkBody, NAMED_LATE),
    /** Makes what was written since that of the person. */
    mergeLate: async ({ deviceId, userId }: LinkBody): Promise<void> => {
      await db.query(MERGE_LATE, [deviceId, userId])
    },
    finish: async (deviceId: string): Promise<void> => {
      await db.query(FINISH, [deviceId])
    },
  }
}

export type LinkStore = ReturnType<typeof linkStore>
