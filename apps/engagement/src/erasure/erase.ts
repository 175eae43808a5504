import type { EventData } from '@palanquin/domain/events'
import { forgetOnBus } from '@palanquin/events/forget'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { StatisticsCache } from '../participants/statistics-cache.ts'
import type { Counts, EndErasure, EraseAtService } from './services.ts'
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
/** A clock that is off must not hold an erasure up. */
const END_MS_MAX = 1_000

export type ErasureDependencies = {
  redis: Redis
  store: ErasureStore
  /** The devices that were joined to a participant: what still arrives of them is theirs. */
  devicesOf: (userId: string) => Promise<string[]>
  cache: Pick<StatisticsCache, 'erase'>
  services: { tracking: EraseAtService; media: EraseAtService; lineBot: EraseAtService; end: EndErasure }
  /** Resolves with how many of their devices could send points until now. */
  revokeDevices: (userId: string) => Promise<number>
  /** Publishes the outbox now, within a bounded time. */
  publishOutbox: () => Promise<void>
  now: () => number
  /** Within which every gateway refuses the sessions that have ended. */
  propagationMs: number
  /** Total time of a call before it is answered as unfinished. */
  deadlineMs: number
}

export type Erased = { userId: string; erased: Counts }
type ErasureRequest = { userId: string; by: ErasedBy; requestId: string }
/** What was erased so far, by this call: `noted` is in the audit already. */
type Progress = { audited: Counts[]; unaudited: Counts[]; leftMs: () => number }

/** Erases a participant everywhere, until the deadline. @returns null for an unknown one; 503 to be repeated */
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

/** Tombstone and tracking's rows, other services, the bus, our rows, late arrivals. @returns false: to be repeated */
async function eraseOnce(
  dependencies: ErasureDependencies,
  { userId, by, requestId }: ErasureRequest,
  { audited, unaudited, leftMs }: Progress,
): Promise<boolean> {
  const { redis, store, devicesOf, cache, services, publishOutbox, revokeDevices, propagationMs } =
    dependencies
  const how = () => ({ requestId, leftMs: leftMs() })
  const eraseAt = async (erase: EraseAtService, id = userId) => {
    const part = await erase(id, how())
    if (part) unaudited.push(part.erased)
    return part
  }
  unaudited.push({ devices: await revokeDevices(userId) })
  // Tracking is busiest, so it goes first: while it cannot erase, nothing is erased.
  const closed: { id: string; until: number }[] = []
  const events: EventData<'participant.erased'>[] = []
  for (const id of [...(await devicesOf(userId)), userId]) {
    const tracking = await eraseAt(services.tracking, id)
    if (!tracking?.event || tracking.closedUntil === undefined) return false
    closed.push({ id, until: tracking.closedUntil })
    events.push(tracking.event)
  }
  const known = await devicesOf(userId)
  // One that was joined just before the tombstone is erased by the next attempt.
  if (known.some((device) => closed.every(({ id }) => id !== device))) return false
  // Pictures of a device may still be under its id, where joining it is not finished.
  const eraseImages = async () =>
    (await Promise.all(closed.map(({ id }) => eraseAt(services.media, id)))).every(Boolean)
  const [images, lineBot] = await Promise.all([eraseImages(), eraseAt(services.lineBot)])
  if (!images || !lineBot) return false

  const forgetEvents = async (until?: string) => {
    for (const { id } of closed) {
      unaudited.push({ events: await store.forgetOutbox(id) })
      const events = await forgetOnBus(redis, { userId: id, schemas: SCHEMAS_WITH_OUTBOX, until })
      unaudited.push({ events })
    }
  }
  await forgetEvents()
  const { counts, at } = await store.erase(userId, { by, elsewhere: sum(unaudited), events })
  const signedOutMs = performance.now()
  audited.push(counts, ...unaudited.splice(0))

  // A request that was running may have written a picture or an event meanwhile.
  const [imagesAgain, lineBotAgain] = await Promise.all([
    eraseImages(),
    eraseAt(services.lineBot),
    ...closed.map(({ id }) => cache.erase(id)),
    publishOutbox(),
  ])
  if (!imagesAgain || !lineBotAgain) return false
  await forgetEvents(at)
  audited.push(...unaudited.splice(0))
  if (sum(audited).sessions) await Bun.sleep(Math.max(0, propagationMs - (performance.now() - signedOutMs)))
  await store.redact(userId)

  const ended = await Promise.all(closed.map(({ id, until }) => services.end(id, until, how())))
  const ends = ended.filter((event) => event !== null)
  if (ends.length < closed.length) return false
  await store.publish(ends)
  await publishOutbox()
  const endMs = Math.max(...ends.map((event) => Date.parse(event.at)))
  await Bun.sleep(Math.max(0, Math.min(END_MS_MAX, endMs - dependencies.now())))
  return true
}

/** Sums the counts by name, in order of first appearance. */
function sum(parts: readonly Counts[]): Counts {
  const total: Counts = {}
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) total[name] = (total[name] ?? 0) + count
  return total
}
