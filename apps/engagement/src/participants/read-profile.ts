import type { OwnProfile, Profile } from '@palanquin/domain/participant'
import type { LevelKm } from '@palanquin/domain/rank'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { assembleProfile } from './assemble-profile.ts'
import { countPending } from './pending-checkins.ts'
import type { ReadSnapshot } from './read-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import type { StatisticsCache } from './statistics-cache.ts'

/** `levelKm`: the kilometres that count for a level. */
export type ProfileStores = { readSnapshot: ReadSnapshot; cache: StatisticsCache; levelKm: LevelKm }

const unknown = new ApiError('notFound', 'No participant of this userId is known yet.')

/**
 * A participant's profile, or null. Redis is read before the database (see `snapshot-sql.ts`). Without Redis, buffered
 * check-ins are missing; without the database, the cached snapshot is used with the present check-ins.
 * @throws StoreUnavailable when the database is away and nothing is cached
 */
export const readProfile = async (stores: ProfileStores, userId: string): Promise<Profile | null> =>
  (await read(stores, userId))?.profile ?? null

async function read(
  { readSnapshot, cache, levelKm }: ProfileStores,
  userId: string,
): Promise<{ profile: Profile; snapshot: Snapshot } | null> {
  const state = await cache.read(userId)
  const pending = state?.pending ?? []
  // A participant with a cached snapshot is known anyway.
  const isBuffered = state !== null && !state.fresh && state.isBuffered
  const assemble = (snapshot: Snapshot, pendingCheckins = snapshot.pendingCheckins) => {
    const profile = assembleProfile(userId, { snapshot, pending, pendingCheckins, isBuffered, levelKm })
    return profile && { profile, snapshot }
  }
  if (state?.fresh) return assemble(state.fresh)
  let snapshot: Snapshot
  try {
    snapshot = await readSnapshot({ userId, pending })
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || !state?.stale) throw error
    // Nothing is flushed while the database is away, so all check-ins after the cached cursor are pending.
    const known = state.stale
    return assemble(known, countPending(pending, known.cursor))
  }
  if (state && isCacheable(snapshot)) await cache.write(userId, state, snapshot)
  return assemble(snapshot)
}

/** The profile as the person alone sees it. @throws StoreUnavailable */
export async function ownProfile(stores: ProfileStores, userId: string): Promise<OwnProfile | ApiError> {
  const known = await read(stores, userId)
  if (known === null) return unknown
  const { consent = false, visibility = null } = known.snapshot.participant ?? {}
  return { ...known.profile, visibility: consent ? visibility : null }
}

/** The profile, or the error to answer with. @throws StoreUnavailable */
export const profileOrNotFound = async (stores: ProfileStores, userId: string): Promise<Profile | ApiError> =>
  (await readProfile(stores, userId)) ?? unknown

/** Unknown ids are not cached (a caller could name a million), nor snapshots with a pending rebuild. */
const isCacheable = ({ participant, track, unsettled }: Snapshot): boolean =>
  !unsettled && (participant !== null || track !== null)
