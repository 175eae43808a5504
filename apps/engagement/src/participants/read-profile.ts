import type { LevelKm } from '@palanquin/domain/level'
import type { OwnProfile, Profile } from '@palanquin/domain/participant'
import { toIso } from '@palanquin/domain/time'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import { assembleProfile, withPresentCheckins } from './assemble-profile.ts'
import { type BasedProfile, basisOf } from './cache-entry.ts'
import type { ReadSnapshot } from './read-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import type { Stale, StatisticsCache } from './statistics-cache.ts'

/** `levelKm`: the kilometres that count for a level. */
export type ProfileStores = { readSnapshot: ReadSnapshot; cache: StatisticsCache; levelKm: LevelKm }

export const unknown = new ApiError('notFound', 'No participant of this userId is known yet.')

/**
 * A participant's profile, or null. Redis is read before the database (see `snapshot-sql.ts`). Without Redis, the
 * buffered check-ins are those that this process last read; without the database, the cached profile is used with the present check-ins.
 * @throws StoreUnavailable when the database is away and nothing is cached
 */
export const readProfile = async (stores: ProfileStores, userId: string): Promise<Profile | null> =>
  (await read(stores, userId))?.profile ?? null

async function read(stores: ProfileStores, userId: string): Promise<BasedProfile | null> {
  const state = await stores.cache.read(userId)
  return state?.fresh ?? readUncached(stores, userId, state)
}

/** The profile of somebody without a fresh entry; `state` is null without Redis. @throws StoreUnavailable */
export async function readUncached(
  { readSnapshot, cache, levelKm }: ProfileStores,
  userId: string,
  state: Stale | null,
): Promise<BasedProfile | null> {
  const pending = state?.pending ?? cache.lastPending(userId)
  let snapshot: Snapshot
  try {
    snapshot = await readSnapshot({ userId, pending })
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || !state?.stale) throw error
    return { ...state.stale, profile: withPresentCheckins(state.stale, { pending, levelKm }) }
  }
  const isBuffered = state?.isBuffered ?? pending.length > 0
  const profile = assembleProfile(userId, { snapshot, pending, isBuffered, levelKm })
  if (!profile) return null
  const known = { profile, basis: basisOf(snapshot) }
  if (state && isCacheable(snapshot)) await cache.write(userId, state, known)
  return known
}

/** The profile as the person alone sees it. @throws StoreUnavailable */
export async function ownProfile(stores: ProfileStores, userId: string): Promise<OwnProfile | ApiError> {
  const known = await read(stores, userId)
  if (known === null) return unknown
  const { profile, basis } = known
  return {
    ...profile,
    visibility: profile.privacyConsent ? basis.visibility : null,
    consentAt: basis.consentAtMs === null ? null : toIso(basis.consentAtMs),
  }
}

/** The profile, or the error to answer with. @throws StoreUnavailable */
export const profileOrNotFound = async (stores: ProfileStores, userId: string): Promise<Profile | ApiError> =>
  (await readProfile(stores, userId)) ?? unknown

/** Unknown ids are not cached (a caller could name a million), nor snapshots with a pending rebuild. */
const isCacheable = ({ participant, track, unsettled }: Snapshot): boolean =>
  !unsettled && (participant !== null || track !== null)
