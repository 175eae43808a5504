import type { Database } from '@palanquin/db/client'
import type { Profile } from '@palanquin/domain/participant'
import type { LevelKm } from '@palanquin/domain/rank'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { profileOf } from './assemble-profile.ts'
import { countPending } from './pending-checkins.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'
import type { StatisticsCache } from './statistics-cache.ts'

/** `levelKm`: which kilometres a level counts. */
export type ProfileStores = { db: Database; cache: StatisticsCache; levelKm: LevelKm }

/**
 * A participant's profile; null when nothing is known of them. Redis is read first and the database after it: see
 * `readSnapshot`. Without Redis the database answers alone, and the check-ins in the buffer are missing; without the
 * database the cached figures answer, with the check-ins of this moment.
 * @throws StoreUnavailable when the database is away and nothing is cached
 */
export async function readProfile(
  { db, cache, levelKm }: ProfileStores,
  userId: string,
): Promise<Profile | null> {
  const readState = await cache.readState(userId)
  const { pending, isBuffered } = readState ?? { pending: [], isBuffered: false }
  const answer = (snapshot: Snapshot, pendingCheckins = snapshot.pendingCheckins) =>
    profileOf(userId, { snapshot, pending, pendingCheckins, isBuffered, levelKm })
  if (readState?.cached?.fresh) return answer(readState.cached.snapshot)
  let snapshot: Snapshot
  try {
    snapshot = await readSnapshot(db, userId, pending)
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || !readState?.cached) throw error
    // Nothing is flushed while the database is away, so all that is behind the cached cursor is still to come.
    const known = readState.cached.snapshot
    return answer(known, countPending(pending, known.cursor))
  }
  if (readState && isCacheable(snapshot)) await cache.keep(userId, readState, snapshot)
  return answer(snapshot)
}

/** The same as it is answered. @throws StoreUnavailable */
export const profileOrNotFound = async (stores: ProfileStores, userId: string): Promise<Profile | ApiError> =>
  (await readProfile(stores, userId)) ?? new ApiError('notFound', 'Nobody of this userId is known yet.')

/** Strangers are not kept (anybody can name a million of them), nor what is about to change by itself. */
const isCacheable = ({ participant, track, unsettled }: Snapshot): boolean =>
  !unsettled && (participant !== null || track !== null)
