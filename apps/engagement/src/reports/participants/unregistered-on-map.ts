import { UserId } from '@palanquin/domain/ids'
import type { Log } from '@palanquin/service/log'
import { memoize } from '@palanquin/service/memoize'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'

/** The map answers from memory; a list is served without its answer rather than late. */
const DEADLINE_MS = 1_000
/** First points are listed within a second, and a list that is read page by page calls seldom. */
const TTL_MS = 250

/** User ids on the map that may be unregistered; empty when the map is away. */
export type UnregisteredOnMap = () => Promise<readonly string[]>

const Unregistered = Type.Object({ userIds: Type.Array(UserId) })

/** Any copy of the map will do: each of them sees the whole buffer. */
export function unregisteredOnMap({ map, log }: { map: ServiceClient; log: Log }): UnregisteredOnMap {
  const read = async (): Promise<readonly string[]> => {
    try {
      const reply = await map.call({
        path: '/internal/unregistered',
        deadlineMs: DEADLINE_MS,
        reply: Unregistered,
      })
      if (reply.ok) return reply.data.userIds
      log.debug({ event: 'map.refused', status: reply.status }, 'Map refused to list user ids')
    } catch (error) {
      log.debug({ event: 'map.unavailable', reason: String(error) }, 'List is served without the map')
    }
    return []
  }
  return memoize(read, { ttlMs: TTL_MS })
}
