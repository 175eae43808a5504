import { Beacon } from '@palanquin/domain/beacon'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'

/** The map process answers from memory. */
const DEADLINE_MS = 2_000
const Beacons = Type.Array(Beacon)

/** The call of the map process by the bot. */
export function beaconsOf(client: ServiceClient) {
  return {
    /** The beacons as `GET /beacons` gives them. @throws StoreUnavailable */
    list: async (requestId: string): Promise<Beacon[]> => {
      const reply = await client.call({
        path: '/beacons',
        requestId,
        deadlineMs: DEADLINE_MS,
        reply: Beacons,
      })
      return reply.ok ? reply.data : []
    },
  }
}

export type BeaconClient = ReturnType<typeof beaconsOf>
