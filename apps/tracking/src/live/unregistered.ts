import { ok } from '@palanquin/service/http/app'
import { Elysia } from 'elysia'
import type { ParticipantColumns } from '../access/participant-columns.ts'
import type { LiveMap } from './positions/live-map.ts'

/** More at once are the first minutes of a great event; those left out are listed from their first flush on. */
const USER_IDS_MAX = 10_000

/**
 * Who sent points and has no participant row that this process knows of: the normal state between the first point and
 * the first flush. Empty until the participants are loaded.
 */
export const unregisteredOf =
  ({
    map,
    participants,
    isKnown,
  }: {
    map: LiveMap
    participants: ParticipantColumns
    isKnown: () => boolean
  }) =>
  (): string[] => {
    const userIds: string[] = []
    if (!isKnown()) return userIds
    for (const slot of map.slots.all()) {
      if (participants.hasSlot(slot)) continue
      if (userIds.push(map.people.idOf(slot)) >= USER_IDS_MAX) break
    }
    return userIds
  }

/** `GET /internal/unregistered`, for engagement's lists of participants. */
export const unregisteredRoutes = (unregistered: () => string[]) =>
  new Elysia({ name: 'unregistered' }).get('/internal/unregistered', () => ok({ userIds: unregistered() }), {
    detail: { hide: true },
  })
