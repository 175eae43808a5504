import { LINE_SOURCE } from '@palanquin/domain/point'
import type { ServiceClient } from './service-client.ts'

/** A check-in is answered at once; behind it is a disk. */
const DEADLINE_MS = 3_000

export type Checkin = { userId: string; lat: number; lng: number; recordedAtMs: number }

/** What the bot asks of tracking. Throws StoreUnavailable. */
export function trackingOf(ask: ServiceClient) {
  return {
    /** `forbidden` while the activity is paused or ended, and of who has withdrawn. Told again, it counts once. */
    checkin: async (
      { recordedAtMs, ...place }: Checkin,
      requestId: string,
    ): Promise<'taken' | 'forbidden' | 'invalid'> => {
      const answer = await ask({
        method: 'POST',
        path: '/internal/checkin',
        body: { ...place, source: LINE_SOURCE, recordedAt: recordedAtMs },
        requestId,
        deadlineMs: DEADLINE_MS,
      })
      if ('data' in answer) return 'taken'
      return answer.refused === 403 ? 'forbidden' : 'invalid'
    },
  }
}

export type Tracking = ReturnType<typeof trackingOf>
