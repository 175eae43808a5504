import type { Database } from '@palanquin/db/client'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { Log } from '@palanquin/service/log'
import { schedule } from '@palanquin/service/schedule'
import Type from 'typebox'
import { matchesToken } from '../erasure/token-store.ts'

/** A join is known at once by its event; this is for one that was lost, and for the start. */
const READ_EVERY_MS = 60_000
/** A link is visible when its statement has ended, some time after `linked_at`. */
const READ = `
SELECT device_id AS "deviceId", user_id AS "userId", extract(epoch FROM statement_timestamp())::float8 AS "readAt"
  FROM engagement.links WHERE linked_at > to_timestamp($1::float8) - interval '1 minute'`
const Joined = Type.Object({ deviceId: Type.String(), userId: Type.String(), readAt: Type.Number() })

export type JoinedDevices = ReturnType<typeof followJoinedDevices>

/** Devices that were joined to a LINE id, in memory: whatever names one of them is that person's from then on. */
export function followJoinedDevices({
  db,
  tokenOf,
  log,
}: {
  db: Database
  tokenOf: ErasureTokenOf
  log: Log
}) {
  const owners = new Map<string, string>()
  let readAt = 0

  const read = async (): Promise<void> => {
    for (const joined of await db.queryAs(Joined, READ, [readAt])) {
      owners.set(joined.deviceId, joined.userId)
      readAt = joined.readAt
    }
  }
  const reading = schedule(log, [{ name: 'joined devices', everyMs: READ_EVERY_MS, run: read }])

  return {
    ...reading,
    name: 'joined devices',
    /** The person whose the device is; any other id is its own owner. */
    ownerOf: (userId: string): string => owners.get(userId) ?? userId,
    joined: ({ deviceId, userId }: { deviceId: string; userId: string }): void => {
      owners.set(deviceId, userId)
    },
    /** Drops the devices of an erased participant: their ids are then treated as unknown. */
    erased: (erased: { shard: number; mark: string }): void => {
      const isErased = matchesToken(erased, tokenOf)
      for (const [deviceId, userId] of owners)
        if (isErased(userId) || isErased(deviceId)) owners.delete(deviceId)
    },
  }
}
