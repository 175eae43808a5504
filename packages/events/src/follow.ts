import type { DomainEvent } from '@palanquin/domain/events'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { type EventHandlers, handlerOf } from './delivery.ts'
import { createOutage, pause } from './outage.ts'
import {
  BLOCK_DEADLINE_MS,
  BLOCK_MS,
  contentOf,
  type Entry,
  EPOCH_KEY,
  entriesOf,
  REDIS_DEADLINE_MS,
  STREAM_KEY,
} from './stream.ts'

const BATCH_MAX = 100
/** Of so many last events it knows that it has seen them: a relay that was killed publishes a batch of 50 again. */
const SEEN_MAX = 1_000
const BEGINNING = '0-0'

/**
 * Why a view may lack something: it was just begun (`from: '$'`), Redis came back without what it had, or a handler
 * threw.
 */
export type Gap = 'start' | 'emptied' | 'handler-failed'

export type FollowOptions = {
  /** `connectRedis({ blocking: true })`, for this follower alone. */
  blocking: Redis
  /** `$`: what comes from now on; `0`: all that is still there; or behind an entry's id. */
  from: '$' | '0' | (string & {})
  /** Plain and quick: they change a view in memory. */
  handlers: EventHandlers
  /**
   * Reads the view anew from PostgreSQL. Called before any event that may follow the gap, again and again until it
   * succeeds; with `from: '$'` once at the start too, after the position is fixed, so that nothing falls in between.
   */
  onGap?: (gap: Gap) => Promise<void>
  log: Log
}

/** How far a follower is. `epoch` changes when Redis was emptied; null while nothing was ever published. */
type Position = { entryId: string; epoch: string | null }

/**
 * Shows every event to this very process (a consumer group shows each to one process of an app): for views in
 * memory. Goes on behind the last entry that it saw after Redis was away. An event that is published twice is shown
 * once. The client stays the caller's to close, after `stop`.
 */
export function follow({ blocking, from, handlers, onGap, log }: FollowOptions): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = createOutage(log, 'the follower of the bus')
  const seen = new Set<string>()
  let position: Position | undefined
  let gap: Gap | undefined = from === '$' ? 'start' : undefined

  const look = async () => {
    const now = await stateOf(blocking)
    position ??= { entryId: startOf(from, now.lastId), epoch: now.epoch }
    const emptied = position.epoch !== null && now.epoch !== position.epoch
    if (emptied || isBefore(now.lastId, position.entryId)) {
      log.error(
        { was: position.entryId, is: now.lastId },
        'Redis has lost events that were published (it came back empty, or older)',
      )
      position.entryId = BEGINNING
      gap = 'emptied'
    }
    position.epoch = now.epoch
    return position
  }
  const show = async (entry: Entry) => {
    const content = entry.fields && contentOf(entry.fields)
    if (!content || !('event' in content) || content.only !== undefined || seen.has(content.event.id)) return
    remember(seen, content.event.id)
    try {
      await handlerOf(handlers, content.event)?.()
    } catch (error) {
      log.error({ ...tellOf(content.event), err: error }, 'a view could not take in an event')
      gap = 'handler-failed'
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      try {
        const here = await look()
        if (gap) await onGap?.(gap)
        gap = undefined
        for (const entry of await readBehind(blocking, here.entryId)) {
          if (signal.aborted) return
          await show(entry)
          here.entryId = entry.entryId
        }
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

function startOf(from: FollowOptions['from'], lastId: string): string {
  if (from === '$') return lastId
  return from === '0' ? BEGINNING : from
}

const tellOf = ({ id, type }: DomainEvent) => ({ event: id, type })

function remember(seen: Set<string>, id: string): void {
  seen.add(id)
  if (seen.size <= SEEN_MAX) return
  for (const oldest of seen) return void seen.delete(oldest)
}

async function readBehind(blocking: Redis, entryId: string): Promise<Entry[]> {
  const reply = await withDeadline(
    blocking.xRead({ key: STREAM_KEY, id: entryId }, { COUNT: BATCH_MAX, BLOCK: BLOCK_MS }),
    { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
  )
  return entriesOf(reply?.[0]?.messages)
}

const STATE_SCRIPT = `
local last = '0-0'
if redis.call('EXISTS', KEYS[1]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = info[i + 1] end end
end
return { last, redis.call('GET', KEYS[2]) or '' }
`

async function stateOf(blocking: Redis): Promise<{ lastId: string; epoch: string | null }> {
  const answer = await withDeadline(
    blocking.eval(STATE_SCRIPT, { keys: [STREAM_KEY, EPOCH_KEY], arguments: [] }),
    {
      what: 'Redis',
      deadlineMs: REDIS_DEADLINE_MS,
    },
  )
  const [lastId, epoch] = Array.isArray(answer) ? answer.map(String) : []
  return { lastId: lastId ?? BEGINNING, epoch: epoch || null }
}

/** Stream ids are `<milliseconds>-<number>`, both within 64 bits. */
function isBefore(one: string, other: string): boolean {
  const [ms = 0n, number = 0n] = one.split('-').map(BigInt)
  const [otherMs = 0n, otherNumber = 0n] = other.split('-').map(BigInt)
  return ms < otherMs || (ms === otherMs && number < otherNumber)
}
