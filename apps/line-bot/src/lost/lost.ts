import type { DomainEvent } from '@palanquin/domain/events'
import type { EventHandlers } from '@palanquin/events/delivery'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Job } from '@palanquin/service/schedule'
import { type NotifyOptions, notifyOf } from './notify.ts'

/** Soon enough for somebody who runs; a map that is away is tried again as often. */
const NOTIFY_EVERY_MS = 1_000
const FORGET_EVERY_MS = 24 * 3_600_000

/**
 * Lost and found: the event is only written down, since a map that is away for an hour must not hold up the notices of a
 * pause behind it; a job notifies.
 */
export function createLost(options: NotifyOptions) {
  const { store, log } = options
  const handlers: EventHandlers = {
    'lost.reported': ({ id, data: { caseId } }: DomainEvent<'lost.reported'>) => store.add(id, caseId),
  }
  const notify = async (): Promise<void> => {
    for (const alert of await store.waiting()) {
      try {
        await notifyOf(options, alert)
        await store.settle(alert.eventId)
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        // The others are not held up; this one is tried again for a day.
        log.error(
          { event: 'lost.alert_failed', caseId: alert.caseId, err: error },
          'Volunteers near a case could not be notified',
        )
      }
    }
  }
  const jobs: Job[] = [
    { name: 'lost and found', everyMs: NOTIFY_EVERY_MS, run: notify },
    { name: 'old cases of lost and found', everyMs: FORGET_EVERY_MS, run: store.forget },
  ]
  return { handlers, jobs, notify }
}
