import type { LiveAnswers } from './answers.ts'
import { encodeCursor } from './cursor.ts'
import type { Format } from './formats.ts'
import type { LiveMap } from './map.ts'
import type { Question } from './select.ts'

const DELTA_EVERY_MS = 1_000
/** A comment now and then: proxies and browsers give up on a silent connection. */
const COMMENT_EVERY_TICKS = 5
/** Streams of one process; each costs a connection and some memory. */
const STREAMS_MAX = 5_000
/** A reader that does not keep up is left out until it has taken what it was sent; then it gets all of it at once. */
const QUEUED_EVENTS_MAX = 2

type Reader = {
  question: Question
  format: Format
  send: (text: string) => void
  end: () => void
  keepsUp: () => boolean
}

/** The event stream of the map: a snapshot first, then every second who has moved. */
export function liveStreams({ map, answers }: { map: LiveMap; answers: LiveAnswers }) {
  const readers = new Set<Reader>()
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  let ticks = 0

  const eventOf = (format: Format, question: Question) => {
    const { selection, data } = answers.answer(format, question)
    const text = `id: ${encodeCursor(selection.cursor)}\nevent: points\ndata: ${data}\n\n`
    return { text, cursor: selection.cursor, isEmpty: selection.walkers.length === 0 }
  }

  const tick = () => {
    ticks++
    // Most readers ask the same and are equally far: their event is made once.
    const made = new Map<string, ReturnType<typeof eventOf>>()
    const now = encodeCursor(map.cursor())
    for (const reader of readers) {
      const { question, format } = reader
      if (ticks % COMMENT_EVERY_TICKS === 0) reader.send(': still here\n\n')
      const since = question.since && encodeCursor(question.since)
      if (since === now || !reader.keepsUp()) continue
      const key = JSON.stringify([since, format, question.whole, question.bbox])
      const event = made.get(key) ?? eventOf(format, question)
      made.set(key, event)
      reader.question = { ...question, since: event.cursor }
      if (!event.isEmpty) reader.send(event.text)
    }
  }

  return {
    /** Begins a stream; null when there are too many. */
    open: (format: Format, question: Question): Response | null => {
      if (readers.size >= STREAMS_MAX) return null
      let reader: Reader
      const body = new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            const first = eventOf(format, { ...question, limit: null })
            reader = {
              question: { ...question, limit: null, since: first.cursor },
              format,
              send: (text) => controller.enqueue(encoder.encode(text)),
              end: () => controller.close(),
              keepsUp: () => (controller.desiredSize ?? 0) > 0,
            }
            readers.add(reader)
            reader.send(first.text)
          },
          cancel: () => {
            readers.delete(reader)
          },
        },
        { highWaterMark: QUEUED_EVENTS_MAX },
      )
      return new Response(body, {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
      })
    },
    name: 'live streams',
    start: () => {
      timer = setInterval(tick, DELTA_EVERY_MS)
    },
    /** Ends every stream: a server waits for them before it stops. */
    stop: () => {
      clearInterval(timer)
      for (const reader of readers) reader.end()
      readers.clear()
    },
  }
}

export type LiveStreams = ReturnType<typeof liveStreams>
