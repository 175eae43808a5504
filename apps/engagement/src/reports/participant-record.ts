import type { Database } from '@palanquin/db/client'
import type { Profile } from '@palanquin/domain/participant'
import type { LevelKm } from '@palanquin/domain/rank'
import { profileOf } from '../participants/assemble-profile.ts'
import type { PendingOf } from '../participants/buffer-reader.ts'
import { readSnapshots, type Snapshot, type StaffFields } from '../participants/snapshot.ts'

export type RecordStores = { db: Database; pendingOf: PendingOf; levelKm: LevelKm }

/** A participant as organisers see one: the profile of `GET /user/{userId}`, and what is told to nobody else. */
export type ParticipantRecord = { profile: Profile; staffFields: StaffFields; snapshot: Snapshot }

/**
 * Participants in the order in which they are named, by the very figures of their profiles: the buffer is read first,
 * the database after it. Whoever is not known any more is left out; `waiting` are known by what is in the buffer alone.
 * @throws StoreUnavailable
 */
export async function readRecords(
  { db, pendingOf, levelKm }: RecordStores,
  userIds: readonly string[],
  waiting: readonly string[] = [],
): Promise<ParticipantRecord[]> {
  if (userIds.length === 0) return []
  const buffered = await pendingOf(userIds)
  const asked = userIds.map((userId) => ({ userId, pending: buffered.get(userId) ?? [] }))
  const known = await readSnapshots(db, asked)
  const isWaiting = new Set(waiting)
  return asked.flatMap(({ userId, pending }) => {
    const read = known.get(userId)
    if (!read) return []
    const { snapshot, staffFields } = read
    const { pendingCheckins } = snapshot
    const isBuffered = isWaiting.has(userId)
    const profile = profileOf(userId, { snapshot, pending, pendingCheckins, isBuffered, levelKm })
    return profile ? [{ profile, staffFields, snapshot }] : []
  })
}
