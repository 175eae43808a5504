import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { type EventHandlers, handlerOf } from './delivery.ts'
import { connected, createOutage, pause } from './outage.ts'
import {
  BLOCK_DEADLINE_MS,
  BLOCK_MS,
  contentOf,
  DONE_RETENTION_MS,
  type Entry,
  entriesOf,
  STREAM_KEY,
} from './stream.ts'
import { type Loss, streamPosition } from './stream-position.ts'

const BATCH_MAX = 100
/** A relay that was killed publishes a batch of 50 again. */
const SEEN_MAX = 1_000

/** Entries that are read later than DONE_RETENTION_MS may not be all. */
const LOOK_MS_MAX = DONE_RETENTION_MS / 2

/** Why a view may lack something: it was begun, Redis lost entries, it was away too long, or a handler threw. */
export type Gap = 'start' | Loss | 'handler-failed'

export type FollowOptions = {
  /** `connectRedis({ blocking: true })`, for this follower alone. */
  blocking: Redis
  /** `$`: what comes from now on; `0`: all that is still there; or behind an entry's id. */
  from: '$' | '0' | (string & {})
  /** Plain and quick: they change a view in memory. */
  handlers: EventHandlers
  /** Reads the view from PostgreSQL, before any event that may follow the gap, until it succeeds. */
  onGap?: (gap: Gap) => Promise<void>
  log: Log
}

/** Shows every event to this process, once: for views in memory. The client stays the caller's to close. */
export function follow({ blocking, from, handlers, onGap, log }: FollowOptions): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = createOutage(log, 'the follower of the bus')
  const place = streamPosition({ redis: blocking, from, log })
  const seen = new Set<string>()
  let gap: Gap | undefined = from === '$' ? 'start' : undefined

  const show = async (entry: Entry) => {
    const content = entry.fields && contentOf(entry.fields)
    // What was requeued for one group is nothing new to a view.
    if (!content || !('event' in content) || content.only !== undefined) return
    const { event } = content
    if (seen.has(event.id)) return
    remember(seen, event.id)
    try {
      await handlerOf(handlers, event)?.()
    } catch (error) {
      log.error(
        { event: 'follower.event_failed', eventId: event.id, type: event.type, err: error },
        'A view could not apply an event',
      )
      gap = 'handler-failed'
    }
  }
  const round = async () => {
    const lookedAt = performance.now()
    const { position, lost } = await place.look()
    gap = lost ?? gap
    if (gap) await onGap?.(gap)
    gap = undefined
    const entries = await readAfter(blocking, position.entryId)
    if (performance.now() - lookedAt > LOOK_MS_MAX) return // suspended in between: looks and reads again
    for (const entry of entries) {
      if (signal.aborted) return
      await show(entry)
      position.entryId = entry.entryId
    }
  }
  const loop = async () => {
    await connected([blocking], signal)
    while (!signal.aborted) {
      try {
        await round()
        outage.recovered()
      } catch (error) {
        await pause(outage.failed(error), signal)
      }
    }
  }

  let looping: Promise<void> | undefined
  return {
    name: 'follower of the bus',
    start: () => {
      looping ??= loop()
    },
    stop: async () => {
      stopping.abort()
      await looping
    },
  }
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id)
  if (seen.size <= SEEN_MAX) return
  for (const oldest of seen) return void seen.delete(oldest)
}

async function readAfter(blocking: Redis, entryId: string): Promise<Entry[]> {
  const reply = await withDeadline(
    blocking.xRead({ key: STREAM_KEY, id: entryId }, { COUNT: BATCH_MAX, BLOCK: BLOCK_MS }),
    { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
  )
  return entriesOf(reply?.[0]?.messages)
}
