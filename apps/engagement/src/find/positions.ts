import type { Database } from '@palanquin/db/client'
import { type FoundPosition, LivePositions } from '@palanquin/domain/find'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { ServiceClient } from '@palanquin/service/service-client'
import { readLastPositions } from '../reports/participants/last-position.ts'

/** The map answers from memory; a search is answered without it rather than late. */
const DEADLINE_MS = 1_500

export type LastSeen = { lastPosition: FoundPosition | null; battery: number | null }

/** The live positions of these participants; null while the map is away. */
export type ReadLivePositions = (
  userIds: readonly string[],
  requestId: string,
) => Promise<LivePositions['positions'] | null>

/** Any copy of the map will do: each of them sees the whole buffer. */
export const livePositionsFromMap =
  ({ map, log }: { map: ServiceClient; log: Log }): ReadLivePositions =>
  async (userIds, requestId) => {
    const call = { method: 'POST', path: '/internal/positions', body: { userIds } } as const
    try {
      const reply = await map.call({ ...call, requestId, deadlineMs: DEADLINE_MS, reply: LivePositions })
      return reply.ok ? reply.data.positions : null
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn(
        { event: 'map.positions_unavailable', requestId, reason: String(error.cause) },
        'A search shows stored positions alone',
      )
      return null
    }
  }

/**
 * Where these participants were last, by user id: live, else as the last flush stored it, then without a place. A battery that
 * the live position does not say is that of the last stored point. @throws StoreUnavailable
 */
export async function readLastSeen(
  { db, readLive }: { db: Database; readLive: ReadLivePositions },
  userIds: readonly string[],
  requestId: string,
): Promise<ReadonlyMap<string, LastSeen>> {
  if (userIds.length === 0) return new Map()
  const [live, stored] = await Promise.all([readLive(userIds, requestId), readLastPositions(db, userIds)])
  const seen = new Map<string, LastSeen>()
  for (const [userId, { lastPosition, battery }] of stored)
    seen.set(userId, { lastPosition: lastPosition && { ...lastPosition, place: null }, battery })
  for (const { userId, battery, ...lastPosition } of live ?? [])
    seen.set(userId, { lastPosition, battery: battery ?? seen.get(userId)?.battery ?? null })
  return seen
}
