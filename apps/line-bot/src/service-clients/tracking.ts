import { LINE_SOURCE } from '@palanquin/domain/point'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import { callFor, type EventTime } from './engagement.ts'

/** A check-in is answered as soon as it is on disk. */
const DEADLINE_MS = 3_000

export type Checkin = { userId: string; lat: number; lng: number; recordedAtMs: number }

/** The calls of tracking by the bot. All throw StoreUnavailable. */
export function trackingOf(client: ServiceClient) {
  return {
    /** `forbidden` while the activity is paused or ended, and of a withdrawn participant. */
    checkin: async (
      { recordedAtMs, ...place }: Checkin,
      event: EventTime,
    ): Promise<'taken' | 'forbidden' | 'invalid'> => {
      const reply = await client.call({
        method: 'POST',
        path: '/internal/checkin',
        body: { ...place, source: LINE_SOURCE, recordedAt: recordedAtMs },
        ...callFor(event),
        deadlineMs: DEADLINE_MS,
        reply: Type.Unknown(),
      })
      if (reply.ok) return 'taken'
      return reply.status === 403 ? 'forbidden' : 'invalid'
    },
  }
}

export type Tracking = ReturnType<typeof trackingOf>
