import { BeaconPlace } from '@palanquin/domain/beacon'
import { LostNotification, type LostPlace, NOTIFIED_WITHIN_KM } from '@palanquin/domain/lost'
import { ITEMS_MAX } from '@palanquin/domain/payload/shape'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'

/** The map answers from memory; engagement reads a row, and may ask the map. */
const DEADLINE_MS = 3_000

const Nearby = Type.Object({ userIds: Type.Array(Type.String()), towns: Type.Array(BeaconPlace) })
type Town = Static<typeof BeaconPlace>

/** Reads of a case of lost and found, and of who is near it. All throw StoreUnavailable. */
export function lostClients({ engagement, map }: { engagement: ServiceClient; map: ServiceClient }) {
  const nearby = async (userIds: readonly string[], places: readonly LostPlace[]) => {
    const reply = await map.call({
      method: 'POST',
      path: '/internal/nearby',
      deadlineMs: DEADLINE_MS,
      reply: Nearby,
      body: { userIds, places, withinKm: NOTIFIED_WITHIN_KM },
    })
    if (!reply.ok) throw new Error(`the map refused to look nearby: ${reply.message}`)
    return reply.data
  }
  return {
    /** Null once it is closed or deleted. */
    read: async (caseId: string): Promise<LostNotification | null> => {
      const path = `/internal/lost/${caseId}` as const
      const reply = await engagement.call({ path, deadlineMs: DEADLINE_MS, reply: LostNotification })
      return reply.ok ? reply.data : null
    },
    /** Which of them are near a place, and the town of the first (null outside of Taiwan). */
    nearby: async (
      userIds: readonly string[],
      places: readonly LostPlace[],
    ): Promise<{ userIds: string[]; town: Town }> => {
      const near: string[] = []
      let town: Town = null
      // Without anybody the town is asked for all the same.
      for (let at = 0; at === 0 || at < userIds.length; at += ITEMS_MAX) {
        const some = await nearby(userIds.slice(at, at + ITEMS_MAX), places)
        near.push(...some.userIds)
        town = some.towns[0] ?? null
      }
      return { userIds: near, town }
    },
  }
}

export type LostClients = ReturnType<typeof lostClients>
