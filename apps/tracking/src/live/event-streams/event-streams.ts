import { ApiError } from '@palanquin/service/http/api-error'
import type { Turns } from '../../bounded-queue.ts'
import { type Cursor, encodeCursor, isSame } from '../positions/cursor.ts'
import { type Format, render } from '../responses/formats.ts'
import {
  deltaOf,
  type News,
  newsSince,
  type Question,
  type Selection,
  snapshotOf,
  type View,
} from '../responses/selection.ts'
import { eventQueue } from './event-queue.ts'

const DELTA_EVERY_MS = 1_000
/** A comment now and then: proxies and browsers give up on a silent connection. */
const COMMENT_EVERY_TICKS = 5
/** Streams of one process; each costs a connection and some memory. */
const STREAMS_MAX = 5_000
/** Boxes that are looked at at a time, after rounding: each costs a look at everybody who moved, every second. */
const BOXES_MAX = 500
/** A reader that does not keep up is left out until it has taken what it was sent; then it gets all of it at once. */
const QUEUED_EVENTS_MAX = 2
/** A reader that takes nothing for so long is let go; it comes back with the cursor that it has. */
const STALLED_TICKS_MAX = 15

/** Who begins to look at the same thing within this time is sent the same first event. */
const SHARED_MS = 250

const COMMENT = new TextEncoder().encode(': still here\n\n')

type Opening = { event: Uint8Array; cursor: Cursor }
type Reader = {
  question: Question & { since: Cursor }
  format: Format
  /** What it looks at, in words: those of the same get the same bytes. */
  key: string
  queue: ReturnType<typeof eventQueue>
}

const keyOf = (format: Format, { box, whole }: Question): string => JSON.stringify([format, whole, box])

/**
 * The event stream of the map: a snapshot first, then every second who has moved, appeared or left. What readers have in
 * common is found out once, and rendered once for each format and box.
 */
export function liveStreams({ view, turns }: { view: View; turns: Turns }) {
  const { map, participants } = view
  const readers = new Set<Reader>()
  const openings = new Map<string, Promise<Opening | ApiError>>()
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  let ticks = 0

  const eventOf = (format: Format, selection: Selection, whole: boolean): Uint8Array => {
    const data = render(format, selection, { participants, whole })
    return encoder.encode(`id: ${encodeCursor(selection.cursor)}\nevent: points\ndata: ${data}\n\n`)
  }

  /** Readers that stand at the same place hold the same cursor, so that they are seen to do so. */
  let latest = map.cursor()
  const sharedCursor = (cursor: Cursor): Cursor => {
    if (!isSame(latest, cursor)) latest = cursor
    return latest
  }

  /** The first event, made in its turn, and once for all who begin to look at the same thing now. */
  const opening = (key: string, format: Format, question: Question): Promise<Opening | ApiError> => {
    const place = `${key} ${question.since ? encodeCursor(question.since) : ''}`
    const known = openings.get(place)
    if (known) return known
    const making = turns.run(() => {
      const news = question.since && newsSince(view, question.since)
      const selection = news ? deltaOf(view, news, question) : wholeMap(question)
      return { event: eventOf(format, selection, question.whole), cursor: sharedCursor(selection.cursor) }
    })
    openings.set(place, making)
    const forget = () => void openings.delete(place)
    void making.then(() => setTimeout(forget, SHARED_MS), forget)
    return making
  }

  const wholeMap = (question: Question): Selection => ({
    ...snapshotOf(view, question),
    removed: [],
    reset: true,
  })

  /** What there is to say to readers that stand at one place: by what they look at. */
  const sayingFrom = (since: Cursor) => {
    const news: News | null = newsSince(view, since)
    const events = new Map<string, Uint8Array | null>()
    return {
      cursor: sharedCursor(news?.cursor ?? map.cursor()),
      to: ({ key, format, question }: Reader): Uint8Array | null => {
        const known = events.get(key)
        if (known !== undefined) return known
        const selection = news ? deltaOf(view, news, question) : wholeMap(question)
        const isEmpty = news && selection.positions.length === 0 && selection.removed?.length === 0
        const event = isEmpty ? null : eventOf(format, selection, question.whole)
        events.set(key, event)
        return event
      },
    }
  }

  const tick = () => {
    ticks++
    const now = map.cursor()
    // Nearly all readers stand at the same place, which is one object.
    const sayings = new Map<Cursor, ReturnType<typeof sayingFrom> | null>()
    for (const reader of readers) {
      const { question, queue } = reader
      if (queue.stalledTicks() >= STALLED_TICKS_MAX) {
        readers.delete(reader)
        queue.breakOff()
        continue
      }
      if (ticks % COMMENT_EVERY_TICKS === 0 && queue.length() === 0) queue.push(COMMENT)
      if (queue.length() >= QUEUED_EVENTS_MAX) continue
      let saying = sayings.get(question.since)
      if (saying === undefined) {
        saying = isSame(question.since, now) ? null : sayingFrom(question.since)
        sayings.set(question.since, saying)
      }
      if (!saying) continue
      const event = saying.to(reader)
      reader.question = { ...question, since: saying.cursor }
      if (event) queue.push(event)
    }
  }

  const isFull = (key: string): boolean => {
    if (readers.size >= STREAMS_MAX) return true
    const keys = new Set<string>()
    for (const reader of readers) keys.add(reader.key)
    return keys.size >= BOXES_MAX && !keys.has(key)
  }

  return {
    /** Begins a stream, once its first event is made. The box of the question is rounded. */
    open: async (format: Format, asked: Question): Promise<Response | ApiError> => {
      const key = keyOf(format, asked)
      const full = new ApiError(
        'unavailable',
        'Too many maps follow along right now; please try again shortly.',
      )
      if (isFull(key)) return full
      const first = await opening(key, format, asked)
      if (first instanceof ApiError) return first
      if (isFull(key)) return full
      const queue = eventQueue({ onLeave: () => void readers.delete(reader) })
      const reader: Reader = { question: { ...asked, limit: null, since: first.cursor }, format, key, queue }
      queue.push(first.event)
      readers.add(reader)
      return new Response(queue.body, {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
      })
    },
    size: (): number => readers.size,
    /** One step of all streams; the timer takes it every second. */
    tick,
    name: 'live streams',
    start: () => {
      timer = setInterval(tick, DELTA_EVERY_MS)
    },
    /** Ends every stream: a server waits for them before it stops. */
    stop: () => {
      clearInterval(timer)
      for (const { queue } of readers) queue.end()
      readers.clear()
    },
  }
}

export type LiveStreams = ReturnType<typeof liveStreams>
