import { ApiError } from '@palanquin/service/http/api-error'
import type { Turns } from '../../bounded-queue.ts'
import { encodeCursor } from '../positions/cursor.ts'
import { type Bytes, compressed } from './compress.ts'
import { bodyOf, type Format, MEDIA_TYPE, render } from './formats.ts'
import {
  deltaOf,
  newsSince,
  pageOf,
  type Question,
  type Selection,
  snapshotOf,
  type View,
} from './selection.ts'

/** The plain public map is built at most so often, for everybody who asks; */
const TICK_MS = 250
/** less often where it is so large that building it would take more than an eighth of the time (positions: within 2 s). */
const TICK_MS_MAX = 1_000
const BUILD_SHARE = 8
/** Answers to the same question are kept for that long too: so many at a time. */
const KEPT_MAX = 16
/** Below this a compressed answer is hardly shorter. */
const GZIP_BYTES_MIN = 1_024
/** A delta of up to so many movements is made at once: a millisecond. */
const AT_ONCE_MAX = 500
/** A delta of more than half of the map, and more than this, is not worth while: the map is there for everybody already. */
const DELTA_MAX = 1_000

/** Blobs are what many responses are made of without a copy for each. */
type Built = { plain: Bytes; body: Blob; gzipped?: Promise<Blob> }
type Snapshot = Built & { version: number; builtAt: number; goodForMs: number }

export type LiveAnswers = ReturnType<typeof liveAnswers>

/**
 * Answers of `GET /data`. The plain public map is shared as bytes; what has moved since is made for its caller where that
 * is little; anything else is built in turns, and shared by all who ask the same meanwhile.
 */
export function liveAnswers({ view, turns, now }: { view: View; turns: Turns; now: () => number }) {
  const { map, participants } = view
  const snapshots = new Map<string, Snapshot>()
  const kept = new Map<string, Promise<Built | ApiError>>()

  const built = (format: Format, selection: Selection, whole: boolean): Built => {
    const plain = new TextEncoder().encode(bodyOf(format, render(format, selection, { participants, whole })))
    return { plain, body: new Blob([plain]) }
  }

  /** The plain public map; as the answer to a cursor it says that it is the whole one. */
  const shared = (format: Format, { reset }: { reset: boolean }): Snapshot => {
    const key = `${format} ${reset}`
    const known = snapshots.get(key)
    if (known && (known.version === map.version() || now() - known.builtAt < known.goodForMs)) return known
    const started = performance.now()
    const version = map.version()
    const selection = snapshotOf(view, { box: null, whole: false })
    const bytes = built(format, reset ? asReset(selection) : selection, false)
    const tookMs = performance.now() - started
    const goodForMs = Math.min(Math.max(TICK_MS, tookMs * BUILD_SHARE), TICK_MS_MAX)
    const fresh = { ...bytes, version, builtAt: now(), goodForMs }
    snapshots.set(key, fresh)
    return fresh
  }

  const selectionOf = (question: Question): Selection => {
    const { since, limit } = question
    if (since === null && limit === null) return snapshotOf(view, question)
    if (limit !== null) return pageOf(view, question) ?? firstPage(question)
    const news = since && newsSince(view, since)
    return news ? deltaOf(view, news, question) : asReset(snapshotOf(view, question))
  }
  const firstPage = (question: Question): Selection =>
    asReset(pageOf(view, { ...question, since: null }) ?? snapshotOf(view, question))

  const inTurn = (format: Format, question: Question, acceptsGzip: boolean): Promise<Built | ApiError> => {
    const { since, ...rest } = question
    const key = JSON.stringify([format, since && encodeCursor(since), rest])
    const known = kept.get(key)
    if (known) return known
    const making = turns.run(async () => {
      const made = built(format, selectionOf(question), question.whole)
      if (acceptsGzip && made.plain.length >= GZIP_BYTES_MIN) made.gzipped = compressed(made.plain)
      await made.gzipped
      return made
    })
    const forget = () => void (kept.get(key) === making && kept.delete(key))
    for (const oldest of kept.size < KEPT_MAX ? [] : kept.keys()) {
      kept.delete(oldest)
      break
    }
    kept.set(key, making)
    void making.then((made) => (made instanceof ApiError ? forget() : setTimeout(forget, TICK_MS)), forget)
    return making
  }

  const answerTo = (
    format: Format,
    question: Question,
    acceptsGzip: boolean,
  ): Promise<Built | ApiError> | Built => {
    const { box, since, limit, whole } = question
    if (whole || limit !== null || (box && !since)) return inTurn(format, question, acceptsGzip)
    if (!since) return shared(format, { reset: false })
    const moved = map.countSince(since.shards)
    if (!box && moved > Math.max(DELTA_MAX, map.count(false) / 2)) return shared(format, { reset: true })
    const reach = map.changes.reach(since.seen)
    if (!box && reach === 'whole map') return shared(format, { reset: true })
    return moved <= AT_ONCE_MAX && reach === 'log'
      ? built(format, selectionOf(question), whole)
      : inTurn(format, question, acceptsGzip)
  }

  return {
    /** The whole response; compressed where the caller understands that and it is worth it. */
    respond: async (
      format: Format,
      question: Question,
      { acceptsGzip }: { acceptsGzip: boolean },
    ): Promise<Response | ApiError> => {
      const answer = await answerTo(format, question, acceptsGzip)
      if (answer instanceof ApiError) return answer
      const headers = new Headers({
        'content-type': MEDIA_TYPE[format],
        'cache-control': question.whole ? 'no-store' : 'no-cache',
        vary: 'accept-encoding',
      })
      if (!acceptsGzip || answer.plain.length < GZIP_BYTES_MIN) return new Response(answer.body, { headers })
      answer.gzipped ??= compressed(answer.plain)
      headers.set('content-encoding', 'gzip')
      return new Response(await answer.gzipped, { headers })
    },
  }
}

/** The whole map as the answer to a cursor: nobody is to be removed from what is to be forgotten. */
const asReset = (selection: Selection): Selection => ({ ...selection, removed: [], reset: true })
