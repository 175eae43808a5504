import type { Database } from '@palanquin/db/client'
import type { FoundPosition } from '@palanquin/domain/find'
import { readLastPositions } from './last-position.ts'
import type { ReadLivePositions } from './live-positions.ts'

export type LastSeen = { lastPosition: FoundPosition | null; battery: number | null }

/** Where these participants were last, by id: live, else stored, then without a place. @throws StoreUnavailable */
export async function readLastSeen(
  { db, readLive }: { db: Database; readLive: ReadLivePositions },
  userIds: readonly string[],
  { withPlaces, requestId }: { withPlaces: boolean; requestId: string },
): Promise<ReadonlyMap<string, LastSeen>> {
  if (userIds.length === 0) return new Map()
  const [live, stored] = await Promise.all([
    readLive({ userIds: [...userIds], withPlaces }, requestId),
    readLastPositions(db, userIds),
  ])
  const seen = new Map<string, LastSeen>()
  for (const [userId, { lastPosition, battery }] of stored)
    seen.set(userId, { lastPosition: lastPosition && { ...lastPosition, place: null }, battery })
  for (const { userId, battery, ...lastPosition } of live ?? [])
    seen.set(userId, { lastPosition, battery: battery ?? seen.get(userId)?.battery ?? null })
  return seen
}
