import { EVENT_DATA } from '@palanquin/domain/events'
import type { Log } from '@palanquin/service/log'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'

/** Number of erased things by name; every service has its own names. */
export const Counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
  description: 'how many of each were erased',
})
export type Counts = Static<typeof Counts>

/** The reply of `POST /internal/erase`; `event` is what to publish, which only tracking knows. */
const ErasedPart = Type.Object({ erased: Counts, event: Type.Optional(EVENT_DATA['participant.erased']) })
export type ErasedPart = Static<typeof ErasedPart>

/** One service's part of an erasure, within `leftMs`; null when it failed, and may have erased some. */
export type EraseAtService = (
  userId: string,
  how: { requestId: string; leftMs: number },
) => Promise<ErasedPart | null>

/** Calls one service for its part of an erasure; a failure is logged. */
export function eraseAt({
  service,
  name,
  deadlineMs,
  log,
}: {
  service: ServiceClient
  name: string
  deadlineMs: number
  log: Log
}): EraseAtService {
  return async (userId, { requestId, leftMs }) => {
    try {
      const reply = await service.call({
        method: 'POST',
        path: '/internal/erase',
        body: { userId },
        requestId,
        deadlineMs: Math.min(deadlineMs, leftMs),
        reply: ErasedPart,
      })
      if (reply.ok) return reply.data
      log.warn(
        { event: 'erasure.refused', requestId, service: name, status: reply.status },
        'Service refused its part of an erasure',
      )
    } catch (error) {
      log.warn(
        { event: 'erasure.failed', requestId, service: name, reason: String(error) },
        'Service failed its part of an erasure',
      )
    }
    return null
  }
}
