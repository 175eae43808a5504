import { LivePositions, type PositionsBody } from '@palanquin/domain/find'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { ServiceClient } from '@palanquin/service/service-client'

/** The map answers from memory; a list is served without it rather than late. */
const DEADLINE_MS = 1_500

/** The live positions of at most a thousand participants; null while the map is away. */
export type ReadLivePositions = (
  asked: PositionsBody,
  requestId: string,
) => Promise<LivePositions['positions'] | null>

/** Any copy of the map will do: each of them sees the whole buffer. */
export const livePositionsFromMap =
  ({ map, log }: { map: ServiceClient; log: Log }): ReadLivePositions =>
  async (body, requestId) => {
    const call = { method: 'POST', path: '/internal/positions', body } as const
    try {
      const reply = await map.call({ ...call, requestId, deadlineMs: DEADLINE_MS, reply: LivePositions })
      return reply.ok ? reply.data.positions : null
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn(
        { event: 'map.positions_unavailable', requestId, reason: String(error.cause) },
        'Only stored positions are shown',
      )
      return null
    }
  }
