import { forgetOnBus } from '@palanquin/events/forget'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { StatisticsCache } from '../participants/statistics-cache.ts'
import type { Counts, EraseAtService } from './services.ts'
import type { ErasedBy, ErasureStore } from './store.ts'

/** Whose relays may have rows about the participant in hand: every schema with an outbox. */
const SCHEMAS_WITH_OUTBOX = ['tracking', 'engagement', 'media', 'line'] as const

const unfinished = new ApiError(
  'unavailable',
  'The participant could not be erased everywhere yet: a part of the service is away. Call this again to finish; nobody else is touched.',
)

/** A part that is away for a moment is asked again after growing pauses, as long as there is time. */
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 2_000

export type ErasureDependencies = {
  redis: Redis
  store: ErasureStore
  cache: Pick<StatisticsCache, 'erase'>
  services: { tracking: EraseAtService; media: EraseAtService; lineBot: EraseAtService }
  /** Publishes what waits in the outbox, within a moment. */
  tell: () => Promise<void>
  /** How long a call may take in all before it says that it is not finished. */
  deadlineMs: number
}

export type Erased = { userId: string; erased: Counts }
type Asked = { userId: string; by: ErasedBy; requestId: string }
/** What was erased so far, by this call: `noted` is in the audit already. */
type Progress = { audited: Counts[]; unaudited: Counts[]; leftMs: () => number }

/**
 * Erases a participant everywhere. While a part is away it is tried again until the deadline. Null when nothing was known
 * of them; a Refusal (503) when a part is left, to be called again then: every step finds only what is left.
 */
export async function eraseParticipant(
  room: ErasureDependencies,
  asked: Asked,
): Promise<Erased | ApiError | null> {
  const endMs = performance.now() + room.deadlineMs
  const progress: Progress = { audited: [], unaudited: [], leftMs: () => endMs - performance.now() }
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const apiError = await attempt(room, asked, progress)
    if (!apiError) break
    if (progress.leftMs() <= pauseMs) return apiError
    await Bun.sleep(pauseMs)
  }
  const erased = sum(progress.audited)
  return Object.values(erased).some((count) => count > 0) ? { userId: asked.userId, erased } : null
}

/** Null when it is done, else why not. */
async function attempt(
  room: ErasureDependencies,
  asked: Asked,
  progress: Progress,
): Promise<ApiError | null> {
  try {
    return (await eraseOnce(room, asked, progress)) ? null : unfinished
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unavailable') return error
    throw error
  }
}

/**
 * The other services first, then what is on the bus, then engagement's own rows with the audit and the event, then once
 * more what came in between. False when a service could not do its part. @throws StoreUnavailable
 */
async function eraseOnce(
  { redis, store, cache, services, tell }: ErasureDependencies,
  { userId, by, requestId }: Asked,
  { audited, unaudited, leftMs }: Progress,
): Promise<boolean> {
  const ask = async (erase: EraseAtService) => {
    const part = await erase(userId, { requestId, leftMs: leftMs() })
    if (part) unaudited.push(part.erased)
    return part
  }
  // The one that is likeliest to be busy first; while it cannot, nothing is erased at all.
  const tracking = await ask(services.tracking)
  if (!tracking?.tell) return false
  const [media, lineBot] = await Promise.all([ask(services.media), ask(services.lineBot)])
  if (!media || !lineBot) return false

  unaudited.push({ events: await store.forgetOutbox(userId) })
  unaudited.push({ events: await forgetOnBus(redis, { userId, schemas: SCHEMAS_WITH_OUTBOX }) })
  const { counts, at } = await store.erase(userId, { by, elsewhere: sum(unaudited), tell: tracking.tell })
  audited.push(counts, ...unaudited.splice(0))

  // What a request that was under way wrote in between: a picture of somebody who is no longer known, an event.
  const [again] = await Promise.all([ask(services.media), cache.erase(userId), tell()])
  if (!again) return false
  unaudited.push({ events: await forgetOnBus(redis, { userId, schemas: SCHEMAS_WITH_OUTBOX, until: at }) })
  audited.push(...unaudited.splice(0))
  return true
}

/** The counts by name, in the order in which the names come up. */
function sum(parts: readonly Counts[]): Counts {
  const total: Counts = {}
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) total[name] = (total[name] ?? 0) + count
  return total
}
