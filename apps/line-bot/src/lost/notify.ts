import { randomUUID } from 'node:crypto'
import type { LostPlace, LostRecipients } from '@palanquin/domain/lost'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Links } from '../conversation/links.ts'
import type { NewPush } from '../push/store.ts'
import type { LostClients } from '../service-clients/nearby.ts'
import type { Alert, LostAlertStore } from './store.ts'
import { type Facts, forAll, forOwners, forVolunteers } from './wording.ts'

export type NotifyOptions = {
  store: LostAlertStore
  clients: LostClients
  /** Makes a push, once for its cause. */
  send: (push: NewPush) => Promise<void>
  links: () => Links
  log: Log
}
type Case = { alert: Alert; facts: Facts; near: string[]; owners: string[] }

/** Volunteers near any of the places, and the owners. @throws StoreUnavailable */
async function recipientsOf(
  { store, clients }: Pick<NotifyOptions, 'store' | 'clients'>,
  places: readonly LostPlace[],
) {
  const people = await store.recipients()
  const volunteers = people.filter(({ isOwner }) => !isOwner).map(({ userId }) => userId)
  const owners = people.filter(({ isOwner }) => isOwner).map(({ userId }) => userId)
  const { userIds: near, town } =
    places.length === 0 ? { userIds: [], town: null } : await clients.nearby(volunteers, places)
  return { near, owners, town }
}

/** How many are notified of a report of now. @throws StoreUnavailable */
export async function countRecipients(
  options: Pick<NotifyOptions, 'store' | 'clients'>,
  places: readonly LostPlace[],
): Promise<LostRecipients> {
  const { near, owners } = await recipientsOf(options, places)
  const reachesOwners = near.length === 0 || (await options.store.isHeld())
  return { volunteers: near.length, owners: reachesOwners ? owners.length : 0 }
}

/** Notifies volunteers near a case, else the owners, at most once a minute and each once. @throws StoreUnavailable */
export async function notifyOfCases(options: NotifyOptions): Promise<void> {
  const { store, send, log } = options
  await store.gather(randomUUID())
  const cases: Case[] = []
  for (const alert of await store.next()) {
    const found = await caseOf(options, alert)
    if (found) cases.push(found)
  }
  const messageId = cases[0]?.alert.messageId
  if (messageId === undefined) return
  const userIds = new Set<string>()
  const isTogether = cases.length > 1 || cases.some(({ alert }) => alert.isHeld)
  for (const { alert, near, owners } of cases) {
    const reached = near.length === 0 ? owners : isTogether ? [...near, ...owners] : near
    for (const userId of await store.claim(alert, reached)) userIds.add(userId)
  }
  if (userIds.size > 0)
    await send({
      cause: `lost:${messageId}`,
      by: 'lost-and-found',
      urgent: true,
      honoursStop: false,
      audience: { to: 'users', userIds: [...userIds] },
      messages: isTogether ? forAll(factsOf(cases), await store.waiting()) : aloneOf(cases),
    })
  await store.settle(messageId)
  log.info(
    { event: 'lost.notified', cases: cases.length, people: userIds.size },
    'People are notified of cases of lost and found',
  )
}

const factsOf = (cases: readonly Case[]): Facts[] => cases.map(({ facts }) => facts)
const aloneOf = ([one]: readonly Case[]) => {
  if (!one) return []
  return one.near.length === 0 ? forOwners(one.facts) : forVolunteers(one.facts)
}

/** Null for a case that is closed, too late, or cannot be read now. */
async function caseOf(options: NotifyOptions, alert: Alert): Promise<Case | null> {
  const { store, clients, links, log } = options
  const { eventId, caseId, isLate } = alert
  if (isLate) log.error({ event: 'lost.alert_expired', caseId }, 'Nobody could be notified within a day')
  try {
    const found = isLate ? null : await clients.read(caseId)
    if (!found) {
      await store.drop(eventId)
      return null
    }
    const { near, owners, town } = await recipientsOf(options, found.places)
    return { alert, near, owners, facts: { found, town, mapUrl: links().page('map') } }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    log.error({ event: 'lost.alert_failed', caseId, err: error }, 'A case could not be read or placed')
    await store.release(eventId)
    return null
  }
}
