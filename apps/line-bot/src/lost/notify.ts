import type { Log } from '@palanquin/service/log'
import type { Links } from '../conversation/links.ts'
import type { NewPush } from '../push/store.ts'
import type { LostClients } from '../service-clients/nearby.ts'
import type { Alert, LostAlertStore } from './store.ts'
import { forOwners, forVolunteers, tooManyReports } from './wording.ts'

/** Anybody may report: more cases an hour than this are a flood, and would use up the month's messages. */
const CASES_PER_HOUR_MAX = 30
const HOUR_MS = 3_600_000

export type NotifyOptions = {
  store: LostAlertStore
  clients: LostClients
  /** Makes a push, once for its cause. */
  send: (push: NewPush) => Promise<void>
  links: () => Links
  log: Log
  now: () => number
}

/**
 * Notifies the volunteers near a case, each once however often it is called, or the owners where there is none. A case that
 * is closed by now needs no volunteers.
 * @throws StoreUnavailable: to be called again
 */
export async function notifyOf(
  { store, clients, send, links, log, now }: NotifyOptions,
  alert: Alert,
): Promise<void> {
  const { eventId, caseId, isLate } = alert
  const push = (cause: string, how: Pick<NewPush, 'audience' | 'messages'>) =>
    send({ cause: `lost:${cause}`, by: 'lost-and-found', urgent: true, honoursStop: false, ...how })
  const found = isLate ? null : await clients.read(caseId)
  if (isLate)
    log.error({ event: 'lost.alert_expired', caseId }, 'Volunteers could not be notified within a day')
  if (!found) return
  if ((await store.othersOfHour(caseId)) >= CASES_PER_HOUR_MAX) {
    log.error(
      { event: 'lost.alerts_limited', caseId },
      'Too many reports within an hour; volunteers are not notified',
    )
    return push(`limited:${Math.floor(now() / HOUR_MS)}`, {
      audience: { to: 'owners' },
      messages: tooManyReports(CASES_PER_HOUR_MAX),
    })
  }
  const { places } = found
  const { userIds: near, town } =
    places.length === 0 ? { userIds: [], town: null } : await clients.nearby(await store.volunteers(), places)
  const facts = { found, town, mapUrl: links().page('map') }
  const notified = await store.claim(alert, near)
  log.info(
    { event: 'lost.volunteers_notified', caseId, near: near.length, notified: notified.length },
    'Volunteers near a case are notified',
  )
  if (notified.length > 0)
    return push(eventId, { audience: { to: 'users', userIds: notified }, messages: forVolunteers(facts) })
  if (near.length === 0)
    return push(`${caseId}:owners`, { audience: { to: 'owners' }, messages: forOwners(facts) })
}
