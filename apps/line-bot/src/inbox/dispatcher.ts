import { pause } from '@palanquin/events/outage'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { InboxEntry, InboxGroup } from './group.ts'
import { type Inbound, readInbound } from './inbound.ts'

/** Events under way at once; each waits for LINE and for other services, hardly for this process. */
const RUNNING_MAX = 128
/** Events that wait for a store to come back; what is more stays with Redis, and is found there later. */
const WAITING_MAX = 1_000
const ATTEMPTS_MAX = 5
/**
 * Processes that may die with an event in hand before it is thought to be what kills them. A death counts against everything
 * that was in hand, the innocent among it, so there are more of them than tries of an event that fails by itself.
 */
const CRASHES_MAX = 20
const PAUSE_MS_MIN = 500
const PAUSE_MS_MAX = 20_000
const LOOK_MS = 20
const REASON_CHARACTERS_MAX = 300

const pauseMs = (tries: number): number => Math.min(PAUSE_MS_MIN * 2 ** tries, PAUSE_MS_MAX)

/** Acts on an event. `StoreUnavailable` has it asked again for as long as it takes; any other error a few times. */
export type Handle = (event: Inbound, entry: { entryId: string }) => Promise<void>

/** What a process has in hand of the inbox: a queue for each person, and a bound on all. */
export function createDispatcher({
  group,
  handle,
  onDead,
  onSettled = () => {},
  log,
  signal,
}: {
  group: InboxGroup
  handle: Handle
  /** An event was given up. */
  onDead: () => void
  /** An event was handled, or given up. */
  onSettled?: (event: Inbound) => void
  log: Log
  signal: AbortSignal
}) {
  const held = new Set<string>()
  const lanes = new Map<string, Promise<void>>()
  let running = 0
  let waiting = 0

  /** Tells Redis what became of an event, until it has heard: that it is away is no fault of the event. */
  const tell = async (write: () => Promise<void>): Promise<void> => {
    for (let tries = 0; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (signal.aborted) throw error
        log.debug({ reason: String(error) }, 'what became of an event waits for Redis')
        await pause(pauseMs(tries), signal)
      }
    }
  }
  const deadLetter = async (entry: InboxEntry, reason: string): Promise<void> => {
    log.error({ entry: entry.entryId, reason }, 'an event of the inbox was given up')
    await tell(() => group.deadLetter(entry, reason.slice(0, REASON_CHARACTERS_MAX)))
    onDead()
    const event = readInbound(entry.event)
    if (event) onSettled(event)
  }
  /** One try; false when another is to follow. */
  const attempt = async (
    entry: InboxEntry,
    event: Inbound,
    failures: { count: number },
  ): Promise<boolean> => {
    if (signal.aborted) return false
    try {
      await handle(event, { entryId: entry.entryId })
    } catch (error) {
      const facts = { event: event.id, what: event.what.type }
      if (error instanceof StoreUnavailable)
        log.debug({ ...facts, reason: String(error.cause) }, 'an event waits for a store')
      else if (++failures.count < ATTEMPTS_MAX)
        log.warn({ ...facts, err: error }, 'an event failed; it is tried again')
      else {
        await deadLetter(entry, String(error))
        return true
      }
      await tell(() => group.keep(entry.entryId))
      return false
    }
    await tell(() => group.done(entry.entryId))
    onSettled(event)
    return true
  }
  /** In the order in which they came, for each person; one that waits for a store lets the others go ahead. */
  const inTurn = async (lane: string, turn: () => Promise<boolean>): Promise<boolean> => {
    const mine = (lanes.get(lane) ?? Promise.resolve()).then(turn)
    const settled = mine.then(
      () => {},
      () => {},
    )
    lanes.set(lane, settled)
    try {
      return await mine
    } finally {
      if (lanes.get(lane) === settled) lanes.delete(lane)
    }
  }
  const run = async (entry: InboxEntry): Promise<void> => {
    const event = readInbound(entry.event)
    if (!event) return deadLetter(entry, 'not an event of the inbox')
    if (entry.deliveries > CRASHES_MAX) return deadLetter(entry, 'the process died each time it tried')
    const lane = event.userId ?? entry.entryId
    const failures = { count: 0 }
    for (let tries = 0; ; tries++) {
      if (await inTurn(lane, () => attempt(entry, event, failures))) return
      if (signal.aborted || waiting >= WAITING_MAX) return
      waiting++
      running--
      await pause(pauseMs(tries), signal)
      running++
      waiting--
    }
  }
  return {
    holds: (entryId: string): boolean => held.has(entryId),
    /** Begins with an entry, unless it is in hand already. */
    take: (entry: InboxEntry): void => {
      if (held.has(entry.entryId)) return
      held.add(entry.entryId)
      running++
      run(entry)
        // What Redis failed stays pending, and comes again.
        .catch((error: unknown) =>
          log.debug({ entry: entry.entryId, reason: String(error) }, 'an event is left for later'),
        )
        .finally(() => {
          held.delete(entry.entryId)
          running--
        })
    },
    /** How many more may be begun; waits until it is one at least, or the process stops. */
    free: async (): Promise<number> => {
      while (running >= RUNNING_MAX && !signal.aborted) await pause(LOOK_MS, signal)
      return Math.max(1, RUNNING_MAX - running)
    },
    /** When nothing is under way any more. */
    idle: async (): Promise<void> => {
      while (running > 0) await Bun.sleep(LOOK_MS)
    },
  }
}
