import type { DomainEvent } from '@palanquin/domain/events'
import { LostRecipientsBody } from '@palanquin/domain/lost'
import type { EventHandlers } from '@palanquin/events/delivery'
import { ok } from '@palanquin/service/http/app'
import { body } from '@palanquin/service/http/standard-schema'
import type { Job } from '@palanquin/service/schedule'
import { Elysia } from 'elysia'
import { countRecipients, type NotifyOptions, notifyOfCases } from './notify.ts'

/** Soon enough for somebody who runs; a map that is away is tried again as often. */
const NOTIFY_EVERY_MS = 1_000
const FORGET_EVERY_MS = 24 * 3_600_000

/** Lost and found: a job notifies, as a map that is away must not hold up other events. */
export function createLost({ hasLine, ...options }: NotifyOptions & { hasLine: boolean }) {
  const { store } = options
  const handlers: EventHandlers = {
    'lost.reported': ({ id, data: { caseId } }: DomainEvent<'lost.reported'>) => store.add(id, caseId),
  }
  const notify = () => notifyOfCases(options)
  const jobs: Job[] = [
    { name: 'lost and found', everyMs: NOTIFY_EVERY_MS, run: notify },
    { name: 'old cases of lost and found', everyMs: FORGET_EVERY_MS, run: store.forget },
  ]
  const routes = new Elysia({ name: 'lost' }).post(
    '/internal/lost-recipients',
    async ({ body: { places } }) =>
      ok(hasLine ? await countRecipients(options, places) : { volunteers: 0, owners: 0 }),
    { body: body(LostRecipientsBody), detail: { hide: true } },
  )
  return { handlers: hasLine ? handlers : {}, jobs: hasLine ? jobs : [], routes, notify }
}
