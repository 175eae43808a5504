import { forgetOnBus } from '@palanquin/events/forget'
import { Refusal } from '@palanquin/service/http/refusal'
import type { Redis } from '@palanquin/service/redis'
import type { StatisticsCache } from '../participants/cache.ts'
import type { Counts, EraseThere } from './services.ts'
import type { ErasedBy, ErasureStore } from './store.ts'

/** Whose relays may have rows about the participant in hand: every schema with an outbox. */
const SCHEMAS_WITH_OUTBOX = ['tracking', 'engagement', 'media', 'line'] as const

const UNFINISHED =
  'The participant could not be erased everywhere yet: a part of the service is away. Call this again to finish; nobody else is touched.'

export type ErasureRoom = {
  redis: Redis
  store: ErasureStore
  cache: Pick<StatisticsCache, 'erase'>
  services: { tracking: EraseThere; media: EraseThere; lineBot: EraseThere }
  /** Publishes what waits in the outbox, within a moment. */
  tell: () => Promise<void>
}

export type Erased = { userId: string; erased: Counts }

/**
 * Erases a participant everywhere. The other services first, then what is on the bus, then engagement's own rows with the
 * audit and the event, then once more what came in between. Every step finds only what is left, so a call after a 503 or
 * a crash finishes what the last one began. Null when nothing was known of them.
 * @throws StoreUnavailable when a store is away; to be called again then
 */
export async function eraseParticipant(
  room: ErasureRoom,
  { userId, by, requestId }: { userId: string; by: ErasedBy; requestId: string },
): Promise<Erased | Refusal | null> {
  const { redis, store, cache, services } = room
  // The one that is likeliest to be busy first; while it cannot, nothing is erased at all.
  const tracking = await services.tracking(userId, requestId)
  if (!tracking?.tell) return new Refusal('unavailable', UNFINISHED)
  const [media, lineBot] = await Promise.all([
    services.media(userId, requestId),
    services.lineBot(userId, requestId),
  ])
  if (!media || !lineBot) return new Refusal('unavailable', UNFINISHED)

  const unsent = await store.forgetOutbox(userId)
  const onBus = await forgetOnBus(redis, { userId, schemas: SCHEMAS_WITH_OUTBOX })
  const elsewhere = sum([tracking.erased, media.erased, lineBot.erased, { events: unsent + onBus }])
  const { counts, at } = await store.erase(userId, { by, elsewhere, tell: tracking.tell })

  // What a request that was under way wrote in between: a picture of somebody who is no longer known, an event.
  const [again] = await Promise.all([services.media(userId, requestId), cache.erase(userId), room.tell()])
  if (!again) return new Refusal('unavailable', UNFINISHED)
  const late = await forgetOnBus(redis, { userId, schemas: SCHEMAS_WITH_OUTBOX, until: at })

  const erased = sum([counts, elsewhere, again.erased, { events: late }])
  return Object.values(erased).some((count) => count > 0) ? { userId, erased } : null
}

/** The counts by name, in the order in which the names come up. */
function sum(parts: readonly Counts[]): Counts {
  const total: Counts = {}
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) total[name] = (total[name] ?? 0) + count
  return total
}
