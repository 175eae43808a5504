import { ok } from '@palanquin/service/http/app'
import { Elysia } from 'elysia'
import type { Participants } from '../access/participants.ts'
import type { LiveMap } from './positions/live-map.ts'

/** More at once are the first minutes of a great event; those left out are listed from their first flush on. */
const USER_IDS_MAX = 10_000

/**
 * Who sent points and has no participant row that this process knows of: the normal state between the first point and
 * the first flush. Empty until the participants are loaded.
 */
export const unregisteredOf =
  ({ map, participants }: { map: LiveMap; participants: Pick<Participants, 'get' | 'isKnown'> }) =>
  (): string[] => {
    const userIds: string[] = []
    if (!participants.isKnown()) return userIds
    for (const { userId } of map.all()) {
      if (participants.get(userId)) continue
      if (userIds.push(userId) >= USER_IDS_MAX) break
    }
    return userIds
  }

/** `GET /internal/unregistered`, for engagement's lists of participants. */
export const unregisteredRoutes = (unregistered: () => string[]) =>
  new Elysia({ name: 'unregistered' }).get('/internal/unregistered', () => ok({ userIds: unregistered() }), {
    detail: { hide: true },
  })
