import { forgetOnBus } from '@palanquin/events/forget'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { StatisticsCache } from '../participants/statistics-cache.ts'
import type { Counts, EraseAtService, ErasedPart } from './services.ts'
import type { ErasedBy, ErasureStore } from './store.ts'

/** Every schema with an outbox: its relay may be publishing rows about the participant. */
const SCHEMAS_WITH_OUTBOX = ['tracking', 'engagement', 'media', 'line'] as const

const unfinished = new ApiError(
  'unavailable',
  'The participant could not be erased everywhere yet: a part of the service is away. Call this again to finish; no other participant is touched.',
)

/** Backoff between attempts while a service is away. */
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 2_000

export type ErasureDependencies = {
  redis: Redis
  store: ErasureStore
  /** The devices that were joined to a participant: what still arrives of them is theirs. */
  devicesOf: (userId: string) => Promise<string[]>
  cache: Pick<StatisticsCache, 'erase'>
  services: { tracking: EraseAtService; media: EraseAtService; lineBot: EraseAtService }
  /** Resolves with how many of their devices could send points until now. */
  revokeDevices: (userId: string) => Promise<number>
  /** Publishes the outbox now, within a bounded time. */
  publishOutbox: () => Promise<void>
  /** Total time of a call before it is answered as unfinished. */
  deadlineMs: number
}

export type Erased = { userId: string; erased: Counts }
type ErasureRequest = { userId: string; by: ErasedBy; requestId: string }
/** What was erased so far, by this call: `noted` is in the audit already. */
type Progress = { audited: Counts[]; unaudited: Counts[]; leftMs: () => number }

/**
 * Erases a participant everywhere and retries until the deadline while a service is away.
 * @returns null for an unknown participant; an ApiError (503) when something is left, and a repeated call goes on
 */
export async function eraseParticipant(
  dependencies: ErasureDependencies,
  request: ErasureRequest,
): Promise<Erased | ApiError | null> {
  const endMs = performance.now() + dependencies.deadlineMs
  const progress: Progress = { audited: [], unaudited: [], leftMs: () => endMs - performance.now() }
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const apiError = await attempt(dependencies, request, progress)
    if (!apiError) break
    if (progress.leftMs() <= pauseMs) return apiError
    await Bun.sleep(pauseMs)
  }
  const erased = sum(progress.audited)
  return Object.values(erased).some((count) => count > 0) ? { userId: request.userId, erased } : null
}

/** Null when it is done, else the error to answer with. */
async function attempt(
  dependencies: ErasureDependencies,
  request: ErasureRequest,
  progress: Progress,
): Promise<ApiError | null> {
  try {
    return (await eraseOnce(dependencies, request, progress)) ? null : unfinished
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unavailable') return error
    throw error
  }
}

/**
 * Other services, the bus, engagement's own rows with audit and event, then what arrived meanwhile.
 * @returns false when a service could not do its part. @throws StoreUnavailable
 */
async function eraseOnce(
  { redis, store, devicesOf, cache, services, publishOutbox, revokeDevices }: ErasureDependencies,
  { userId, by, requestId }: ErasureRequest,
  { audited, unaudited, leftMs }: Progress,
): Promise<boolean> {
  const eraseAt = async (erase: EraseAtService, id = userId) => {
    const part = await erase(id, { requestId, leftMs: leftMs() })
    if (part) unaudited.push(part.erased)
    return part
  }
  // No app of theirs may send points behind the erasure.
  unaudited.push({ devices: await revokeDevices(userId) })
  // Tracking is busiest, so it goes first: while it cannot erase, nothing is erased.
  const ids = [...(await devicesOf(userId)), userId]
  const events: NonNullable<ErasedPart['event']>[] = []
  for (const id of ids) {
    const tracking = await eraseAt(services.tracking, id)
    if (!tracking?.event) return false
    events.push(tracking.event)
  }
  // Pictures of a device may still be under its id, where joining it is not finished.
  const eraseImages = async () =>
    (await Promise.all(ids.map((id) => eraseAt(services.media, id)))).every(Boolean)
  const [images, lineBot] = await Promise.all([eraseImages(), eraseAt(services.lineBot)])
  if (!images || !lineBot) return false

  for (const id of ids) {
    unaudited.push({ events: await store.forgetOutbox(id) })
    unaudited.push({ events: await forgetOnBus(redis, { userId: id, schemas: SCHEMAS_WITH_OUTBOX }) })
  }
  const { counts, at } = await store.erase(userId, { by, elsewhere: sum(unaudited), events })
  audited.push(counts, ...unaudited.splice(0))

  // A request that was running may have written a picture or an event meanwhile.
  const [imagesAgain] = await Promise.all([eraseImages(), ...ids.map(cache.erase), publishOutbox()])
  if (!imagesAgain) return false
  for (const id of ids)
    unaudited.push({
      events: await forgetOnBus(redis, { userId: id, schemas: SCHEMAS_WITH_OUTBOX, until: at }),
    })
  audited.push(...unaudited.splice(0))
  return true
}

/** Sums the counts by name, in order of first appearance. */
function sum(parts: readonly Counts[]): Counts {
  const total: Counts = {}
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) total[name] = (total[name] ?? 0) + count
  return total
}
