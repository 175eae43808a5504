import type { Database } from '@palanquin/db/client'
import type { LevelKm } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'
import { assembleProfile } from '../participants/assemble-profile.ts'
import type { ReadBufferedCheckins } from '../participants/buffer-reader.ts'
import { readSnapshots } from '../participants/read-snapshot.ts'
import type { Snapshot, StaffFields } from '../participants/snapshot.ts'

export type RecordStores = { db: Database; readBufferedCheckins: ReadBufferedCheckins; levelKm: LevelKm }

/** A participant as organisers see one: the profile of `GET /user/{userId}` and fields for staff only. */
export type ParticipantRecord = { profile: Profile; staffFields: StaffFields; snapshot: Snapshot }

/**
 * Participants in the given order, with the numbers of their profiles: the buffer is read before the database.
 * Unknown ones are left out; `unregistered` count as known. @throws StoreUnavailable
 */
export async function readRecords(
  { db, readBufferedCheckins, levelKm }: RecordStores,
  userIds: readonly string[],
  unregistered: readonly string[] = [],
): Promise<ParticipantRecord[]> {
  if (userIds.length === 0) return []
  const buffered = await readBufferedCheckins(userIds)
  const requests = userIds.map((userId) => ({ userId, pending: buffered.get(userId) ?? [] }))
  const known = await readSnapshots(db, requests)
  const unregisteredIds = new Set(unregistered)
  return requests.flatMap(({ userId, pending }) => {
    const read = known.get(userId)
    if (!read) return []
    const { snapshot, staffFields } = read
    const isBuffered = unregisteredIds.has(userId)
    const profile = assembleProfile(userId, { snapshot, pending, isBuffered, levelKm })
    return profile ? [{ profile, staffFields, snapshot }] : []
  })
}
