import type { Database } from '@palanquin/db/client'
import type { LevelKm } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'
import { assembleProfile } from './assemble-profile.ts'
import type { ReadBufferedCheckins } from './buffer-reader.ts'
import { readSnapshots } from './read-snapshot.ts'
import type { Snapshot, StaffFields } from './snapshot.ts'

export type RecordStores = { db: Database; readBufferedCheckins: ReadBufferedCheckins; levelKm: LevelKm }

/** A participant as organisers see one. */
export type ParticipantRecord = { profile: Profile; staffFields: StaffFields; snapshot: Snapshot }

/** Participants in the given order, the buffer before the database; unknown ones are left out. @throws StoreUnavailable */
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
