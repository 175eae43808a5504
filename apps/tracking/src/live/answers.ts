import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Participants } from '../gate/participants.ts'
import { bodyOf, type Format, MEDIA_TYPE, render } from './formats.ts'
import type { LiveMap } from './map.ts'
import { isPublic, type Question, select } from './select.ts'

const compress = promisify(gzip)
/** The plain public map is built at most so often, for everybody who asks; */
const TICK_MS = 250
/** less often where it is so large that building it would take more than an eighth of the time (positions: within 2 s). */
const TICK_MS_MAX = 1_000
const BUILD_SHARE = 8
/** Positions hardly repeat: a higher level costs time and saves nothing. */
const GZIP_LEVEL = constants.Z_BEST_SPEED
/** Below this a compressed answer is hardly shorter. */
const GZIP_BYTES_MIN = 1_024
/** Up to this it takes a millisecond. */
const GZIP_AT_ONCE_BYTES_MAX = 163_840

type Bytes = Uint8Array<ArrayBuffer>
type Snapshot = {
  version: number
  builtAt: number
  goodForMs: number
  plain: Bytes
  gzipped?: Promise<Bytes>
}

export type LiveAnswers = ReturnType<typeof liveAnswers>

/** Answers of `GET /data`: the plain public map is shared as bytes, anything else is made for its caller. */
export function liveAnswers({
  map,
  participants,
  now,
}: {
  map: LiveMap
  participants: Pick<Participants, 'get'>
  now: () => number
}) {
  const snapshots = new Map<Format, Snapshot>()
  const total = sharedTotal({ map, participants, now })

  const answer = (format: Format, question: Question) => {
    const selection = select({ map, participants, total }, question)
    return { selection, data: render(format, selection, { participants, whole: question.whole }) }
  }

  const build = (format: Format, question: Question): Snapshot => {
    const started = performance.now()
    const version = map.version()
    const plain = new TextEncoder().encode(bodyOf(format, answer(format, question).data))
    const tookMs = performance.now() - started
    const goodForMs = Math.min(Math.max(TICK_MS, tookMs * BUILD_SHARE), TICK_MS_MAX)
    return { version, builtAt: now(), goodForMs, plain }
  }

  const snapshotFor = (format: Format, question: Question): Snapshot => {
    const shared = !question.whole && !question.bbox && !question.since && question.limit === null
    if (!shared) return build(format, question)
    const kept = snapshots.get(format)
    if (kept && (kept.version === map.version() || now() - kept.builtAt < kept.goodForMs)) return kept
    const fresh = build(format, question)
    snapshots.set(format, fresh)
    return fresh
  }

  return {
    answer,
    /** The whole response; compressed where the caller understands that and it is worth it. */
    respond: async (
      format: Format,
      question: Question,
      { acceptsGzip }: { acceptsGzip: boolean },
    ): Promise<Response> => {
      const snapshot = snapshotFor(format, question)
      const headers = new Headers({
        'content-type': MEDIA_TYPE[format],
        'cache-control': question.whole ? 'no-store' : 'no-cache',
        vary: 'accept-encoding',
      })
      if (!acceptsGzip || snapshot.plain.length < GZIP_BYTES_MIN)
        return new Response(snapshot.plain, { headers })
      snapshot.gzipped ??= gzipped(snapshot.plain)
      headers.set('content-encoding', 'gzip')
      return new Response(await snapshot.gzipped, { headers })
    },
  }
}

/** A small answer at once, in less time than another thread takes to begin; a large one beside everything else. */
const gzipped = async (plain: Bytes): Promise<Bytes> =>
  plain.length <= GZIP_AT_ONCE_BYTES_MAX
    ? Bun.gzipSync(plain, { level: 1, library: 'libdeflate' })
    : new Uint8Array(await compress(plain, { level: GZIP_LEVEL }))

/** How many are on the map, counted at most once a tick. */
function sharedTotal({
  map,
  participants,
  now,
}: {
  map: LiveMap
  participants: Pick<Participants, 'get'>
  now: () => number
}) {
  const counted = new Map<boolean, { version: number; at: number; total: number }>()
  return (whole: boolean): number => {
    const kept = counted.get(whole)
    if (kept && (kept.version === map.version() || now() - kept.at < TICK_MS)) return kept.total
    let total = 0
    for (const walker of map.all()) if (whole || isPublic(participants, walker)) total++
    counted.set(whole, { version: map.version(), at: now(), total })
    return total
  }
}
