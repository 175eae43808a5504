import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { createBoundedQueue, releaseAfter } from '../bounded-queue.ts'
import { type ReadBuffered, withBuffered } from './buffered.ts'
import { filteredSteps } from './filtered.ts'
import { geoJsonOf } from './geojson.ts'
import { gpxOf } from './gpx.ts'
import { parseTrackQuery, type TrackQuery, type TrackQueryParams } from './query.ts'
import { splitAtGaps } from './segments.ts'
import { isKnown, type KeptPoint, storedPoints } from './store.ts'

const MEDIA_TYPE = {
  geojson: 'application/geo+json; charset=utf-8',
  gpx: 'application/gpx+xml; charset=utf-8',
} as const

/** The export of a long walk takes some seconds. */
const CONCURRENCY = 2
const WAITING_MAX = 8

export type TrackStores = {
  db: Database
  /** Whether the participant's position is known: they may have no flushed points yet. */
  live: { has: (userId: string) => boolean }
  driftGuard: boolean
  log: Log
  now: () => number
}

type Wanted = {
  userId: string
  query: TrackQueryParams
  /** Of the file and of the track in it. */
  name: string
  /** Reads what is not stored yet; left out, the track is that of the last flush. Filtered it always is. */
  readBuffered?: ReadBuffered
}

/** Makes tracks as documents, two at a time behind a short queue; an ApiError where it cannot. */
export function trackDocuments({ db, live, driftGuard, log, now }: TrackStores) {
  const queue = createBoundedQueue({
    concurrency: CONCURRENCY,
    waitingMax: WAITING_MAX,
    busyMessage: 'Too many tracks are being exported right now; please try again in a moment.',
  })
  return async ({ userId, query, name, readBuffered }: Wanted): Promise<Response | ApiError> => {
    const trackQuery = parseTrackQuery(userId, query)
    if (trackQuery instanceof ApiError) return trackQuery
    if (!live.has(userId) && !(await isKnown(db, userId)))
      return new ApiError('notFound', 'There is no participant of this userId.')
    const { format = 'geojson' } = query
    const release = await queue.acquire()
    if (release instanceof ApiError) return release
    const steps = stepsOf(db, trackQuery, { driftGuard, readBuffered })
    const chunks =
      format === 'gpx'
        ? gpxOf(steps, { name, now: now() })
        : geoJsonOf(steps, trackQuery.filtered ? 'lines' : 'points')
    return textStream(releaseAfter(release, chunks), {
      headers: {
        'content-type': MEDIA_TYPE[format],
        'content-disposition': `attachment; filename="${name}.${format}"`,
        'cache-control': 'no-store',
      },
      log,
    })
  }
}

async function* stepsOf(
  db: Database,
  query: TrackQuery,
  { driftGuard, readBuffered }: { driftGuard: boolean; readBuffered: ReadBuffered | undefined },
) {
  const { userId, from, to, filtered } = query
  // Whether a point counts depends on all points before it, and on the few after it that may show it to be an outlier.
  if (filtered) return yield* filteredSteps(storedPoints(db, { userId }), { driftGuard, from, to })
  const isInRange = ({ recordedAt }: KeptPoint) =>
    (from === null || recordedAt >= from) && (to === null || recordedAt <= to)
  // Before PostgreSQL, so that a flush in between loses nothing.
  const buffered = readBuffered ? await readBuffered(userId) : []
  yield* splitAtGaps(withBuffered(storedPoints(db, query), buffered.filter(isInRange)))
}
