import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { pause } from '@palanquin/service/pause'
import { backoffMs, retry } from '@palanquin/service/retry'
import type { OrderedGroup, QueueEntry } from './group.ts'
import type { OrderedQueue } from './queue.ts'

/** Events under way at once; each waits for other services, hardly for this process. */
const RUNNING_MAX = 128
/** Events that wait for a store to come back; the rest stays with Redis. */
const WAITING_MAX = 1_000
const ATTEMPTS_MAX = 5
/** A crash counts against everything that was under way, so there may be more than failed attempts. */
const CRASHES_MAX = 20
const BACKOFF = { minMs: 500, maxMs: 20_000, jitter: 0 }
const LOOK_MS = 20
const REASON_CHARACTERS_MAX = 300

/** Acts on an event: called again until the store is back, and a few times after any other error. */
export type Handle<E> = (event: E, entry: { entryId: string }) => Promise<void>

export type DispatcherOptions<E> = {
  queue: OrderedQueue<E>
  group: OrderedGroup
  handle: Handle<E>
  onDeadLetter: () => void
  /** An event was handled, or dead-lettered. */
  onSettled: (event: E) => void
  log: Log
  signal: AbortSignal
}

/** Runs the handlers of a queue: one event after another for each key, with a bound on all. */
export function createDispatcher<E>(options: DispatcherOptions<E>) {
  const { queue, group, handle, onDeadLetter, onSettled, log, signal } = options
  const underWay = new Set<string>()
  const inLane = createLanes()
  let running = 0
  let waiting = 0

  /** Writes an outcome to Redis until it is written: an outage is no fault of the event. */
  const write = (outcome: () => Promise<void>): Promise<void> =>
    retry(
      () =>
        outcome().catch((error: unknown) => {
          const facts = { queue: queue.name, reason: String(error) }
          log.debug({ event: 'ordered.outcome_postponed', ...facts }, 'An outcome waits for Redis')
          throw error
        }),
      { ...BACKOFF, signal },
    )
  const deadLetter = async (entry: QueueEntry, reason: string): Promise<void> => {
    const facts = { queue: queue.name, entry: entry.entryId, reason }
    log.error({ event: 'ordered.dead_lettered', ...facts }, 'An event was dead-lettered')
    await write(() => group.deadLetter(entry, reason.slice(0, REASON_CHARACTERS_MAX)))
    onDeadLetter()
    const event = queue.read(entry.event)
    if (event) onSettled(event)
  }
  /** One attempt; false when another is to follow. */
  const attempt = async (entry: QueueEntry, event: E, failures: { count: number }): Promise<boolean> => {
    if (signal.aborted) return false
    try {
      await handle(event, { entryId: entry.entryId })
    } catch (error) {
      const facts = { queue: queue.name, eventId: queue.idOf(event), type: queue.typeOf(event) }
      if (error instanceof StoreUnavailable) {
        const reason = String(error.cause)
        log.debug({ event: 'ordered.event_postponed', ...facts, reason }, 'An event waits for a store')
      } else if (++failures.count < ATTEMPTS_MAX)
        log.warn({ event: 'ordered.event_failed', ...facts, err: error }, 'An event failed; retrying')
      else {
        await deadLetter(entry, String(error))
        return true
      }
      await write(() => group.keep(entry.entryId))
      return false
    }
    await write(() => group.done(entry.entryId))
    onSettled(event)
    return true
  }
  const run = async (entry: QueueEntry): Promise<void> => {
    const event = queue.read(entry.event)
    if (!event) return deadLetter(entry, `not an event of the ${queue.name}`)
    if (entry.deliveries > CRASHES_MAX) return deadLetter(entry, 'the process crashed at each attempt')
    const key = queue.keyOf(event) ?? entry.entryId
    const failures = { count: 0 }
    for (let attempts = 1; ; attempts++) {
      if (await inLane(key, () => attempt(entry, event, failures))) return
      if (signal.aborted || waiting >= WAITING_MAX) return
      waiting++
      running--
      await pause(backoffMs(attempts, BACKOFF), signal)
      running++
      waiting--
    }
  }
  return {
    isUnderWay: (entryId: string): boolean => underWay.has(entryId),
    /** Begins with an entry, unless it is under way already. */
    take: (entry: QueueEntry): void => {
      const { entryId } = entry
      if (underWay.has(entryId)) return
      underWay.add(entryId)
      running++
      run(entry)
        // What Redis failed stays pending, and comes again.
        .catch((error: unknown) => {
          const facts = { queue: queue.name, entry: entryId, reason: String(error) }
          log.debug({ event: 'ordered.event_interrupted', ...facts }, 'An event is left for later')
        })
        .finally(() => {
          underWay.delete(entryId)
          running--
        })
    },
    /** How many more may be begun; waits until it is one at least, or the process stops. */
    free: async (): Promise<number> => {
      while (running >= RUNNING_MAX && !signal.aborted) await pause(LOOK_MS, signal)
      return Math.max(1, RUNNING_MAX - running)
    },
    /** Resolves when no event is under way any more. */
    idle: async (): Promise<void> => {
      while (running > 0) await Bun.sleep(LOOK_MS)
    },
  }
}

/** Runs work one after another for each key, side by side for different keys. */
export function createLanes() {
  const lanes = new Map<string, Promise<void>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (lanes.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.then(
      () => {},
      () => {},
    )
    lanes.set(key, settled)
    try {
      return await mine
    } finally {
      if (lanes.get(key) === settled) lanes.delete(key)
    }
  }
}
