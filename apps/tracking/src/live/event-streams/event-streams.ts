import { ApiError } from '@palanquin/service/http/api-error'
import type { BoundedQueue } from '../../bounded-queue.ts'
import { type Cursor, isSameCursor } from '../positions/cursor.ts'
import type { Format } from '../responses/formats.ts'
import type { MapQuery, View } from '../responses/selection.ts'
import { createEventQueue } from './event-queue.ts'
import { createStreamEvents, type Subscription, subscriptionTo } from './stream-events.ts'

const TICK_MS = 1_000
/** Proxies and browsers give up on a silent connection, so a comment is sent now and then. */
const COMMENT_EVERY_TICKS = 5
/** Streams of one process; each costs a connection and some memory. */
const STREAMS_MAX = 5_000
/** Different subscriptions, after rounding: each scans the movements of the last second, every second. */
const SUBSCRIPTIONS_MAX = 500
/** A slow client is sent nothing more until it has read this many events; then it gets all it missed in one. */
const QUEUED_EVENTS_MAX = 2
/** A client that reads nothing for so long is disconnected; it comes back with its cursor. */
const STALLED_TICKS_MAX = 15

const COMMENT = new TextEncoder().encode(': still here\n\n')

type Stream = Subscription & { cursor: Cursor; queue: ReturnType<typeof createEventQueue> }

export type EventStreams = ReturnType<typeof createEventStreams>

/** `GET /data/stream`: a snapshot first, then every second who has moved, appeared or left. */
export function createEventStreams({ view, builds }: { view: View; builds: BoundedQueue }) {
  const { map } = view
  const events = createStreamEvents({ view, builds })
  const streams = new Set<Stream>()
  let timer: ReturnType<typeof setInterval> | undefined
  let ticks = 0

  const tick = () => {
    ticks++
    const now = map.cursor()
    // Nearly all streams have the same cursor, which is one object.
    const updatesByCursor = new Map<Cursor, ReturnType<typeof events.after> | null>()
    for (const stream of streams) {
      const { queue, cursor } = stream
      if (queue.stalledTicks() >= STALLED_TICKS_MAX) {
        streams.delete(stream)
        queue.abort()
        continue
      }
      if (ticks % COMMENT_EVERY_TICKS === 0 && queue.length() === 0) queue.push(COMMENT)
      if (queue.length() >= QUEUED_EVENTS_MAX) continue
      let updates = updatesByCursor.get(cursor)
      if (updates === undefined) {
        updates = isSameCursor(cursor, now) ? null : events.after(cursor)
        updatesByCursor.set(cursor, updates)
      }
      if (!updates) continue
      const event = updates.eventFor(stream)
      stream.cursor = updates.cursor
      if (event) queue.push(event)
    }
  }

  const isFull = (key: string): boolean => {
    if (streams.size >= STREAMS_MAX) return true
    const keys = new Set<string>()
    for (const stream of streams) keys.add(stream.key)
    return keys.size >= SUBSCRIPTIONS_MAX && !keys.has(key)
  }

  return {
    /** Opens a stream once its first event is built. The box of the query is rounded. */
    open: async (format: Format, query: MapQuery): Promise<Response | ApiError> => {
      const subscription = subscriptionTo(format, query)
      const full = new ApiError(
        'unavailable',
        'Too many maps follow along right now; please try again shortly.',
      )
      if (isFull(subscription.key)) return full
      const first = await events.first(subscription)
      if (first instanceof ApiError) return first
      if (isFull(subscription.key)) return full
      const queue = createEventQueue({ onCancel: () => void streams.delete(stream) })
      const stream: Stream = { ...subscription, cursor: first.cursor, queue }
      queue.push(first.event)
      streams.add(stream)
      return new Response(queue.body, {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
      })
    },
    size: (): number => streams.size,
    /** Sends every stream what is new; the timer calls it every second. */
    tick,
    name: 'event streams',
    start: () => {
      timer = setInterval(tick, TICK_MS)
    },
    /** Ends every stream: a server waits for open streams before it stops. */
    stop: () => {
      clearInterval(timer)
      for (const { queue } of streams) queue.end()
      streams.clear()
    },
  }
}
