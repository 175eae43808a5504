import { ok } from '@palanquin/service/http/app'
import { Elysia } from 'elysia'
import type { Participants } from '../access/participants.ts'
import type { LiveMap } from './positions/live-map.ts'

/** More at once are the first minutes of a great event; those left out are in the lists from their first flush on. */
const NEWCOMERS_MAX = 10_000

/**
 * Who sent points and has no row as a participant that this process has heard of: everybody does between their first
 * point and the first flush, unless they sent something else before. Some may have one by now; nobody while it is not
 * known yet who takes part.
 */
export const newcomersOf =
  ({ map, participants }: { map: LiveMap; participants: Pick<Participants, 'get' | 'isKnown'> }) =>
  (): string[] => {
    const userIds: string[] = []
    if (!participants.isKnown()) return userIds
    for (const { userId } of map.all()) {
      if (participants.get(userId)) continue
      if (userIds.push(userId) >= NEWCOMERS_MAX) break
    }
    return userIds
  }

/** `GET /internal/newcomers`: for the lists of engagement, which keeps the participants. */
export const newcomerRoutes = (unregistered: () => string[]) =>
  new Elysia({ name: 'newcomers' }).get('/internal/newcomers', () => ok({ userIds: unregistered() }), {
    detail: { hide: true },
  })
