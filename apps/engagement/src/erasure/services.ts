import { EVENT_DATA, type EventData } from '@palanquin/domain/events'
import type { Log } from '@palanquin/service/log'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static, type TSchema } from 'typebox'

/** Number of erased things by name; every service has its own names. */
export const Counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
  description: 'how many of each were erased',
})
export type Counts = Static<typeof Counts>

/** Tracking sets the tombstone: what is received until `closedUntil` (epoch ms) is void. */
const ErasedPart = Type.Object({
  erased: Counts,
  event: Type.Optional(EVENT_DATA['participant.erased']),
  closedUntil: Type.Optional(Type.Integer()),
})
export type ErasedPart = Static<typeof ErasedPart>
const Ended = Type.Object({ event: EVENT_DATA['participant.erased'] })

type How = { requestId: string; leftMs: number }
/** One service's part of an erasure, within `leftMs`; null when it failed, and may have erased some. */
export type EraseAtService = (userId: string, how: How) => Promise<ErasedPart | null>
/** Ends an erasure: what is received from `at` on is a new participant's. Null when it failed. */
export type EndErasure = (
  userId: string,
  closedUntil: number,
  how: How,
) => Promise<EventData<'participant.erased'> | null>

type ErasingService = { service: ServiceClient; name: string; deadlineMs: number; log: Log }

/** The calls of one service in an erasure; a failure is logged. */
export function erasureAt({ service, name, deadlineMs, log }: ErasingService) {
  const call = async <S extends TSchema>(
    path: `/${string}`,
    body: object,
    { requestId, leftMs, reply }: How & { reply: S },
  ): Promise<Static<S> | null> => {
    try {
      const answer = await service.call({
        method: 'POST',
        path,
        body,
        requestId,
        deadlineMs: Math.min(deadlineMs, leftMs),
        reply,
      })
      if (answer.ok) return answer.data
      log.warn(
        { event: 'erasure.refused', requestId, service: name, status: answer.status },
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
  const erase: EraseAtService = (userId, how) =>
    call('/internal/erase', { userId }, { ...how, reply: ErasedPart })
  const end: EndErasure = async (userId, closedUntil, how) => {
    const ended = await call('/internal/erase/end', { userId, closedUntil }, { ...how, reply: Ended })
    return ended?.event ?? null
  }
  return { erase, end }
}
