import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import { acceptsGzip, gzipWhole } from '@palanquin/service/http/gzip-whole'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { createBoundedQueue, createDocumentQueue } from '../bounded-queue.ts'
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

/** A walk of nine days takes a tenth of a second, and as a document that is read slowly a minute. */
const BUSY = 'Too many tracks are being exported right now; please try again in a moment.'
const WHOLE = { concurrency: 2, waitingMax: 64, busyMessage: BUSY }
const STREAMED = { concurrency: 1, openMax: 16, busyMessage: BUSY }
/** Nine days are 0.3 MB. */
const GZIP_BYTES_MAX = 8 * 1_048_576

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
  /** The request's: whether it takes gzip. */
  headers: Headers
}

/**
 * Makes tracks as documents; an ApiError where it cannot. Compressed a track is made whole, so that it waits for no reader; who takes no
 * gzip reads it as it is made.
 */
export function trackDocuments({ db, live, driftGuard, log, now }: TrackStores) {
  const whole = createBoundedQueue(WHOLE)
  const streamed = createDocumentQueue(STREAMED)
  return async ({ userId, query, name, readBuffered, headers }: Wanted): Promise<Response | ApiError> => {
    const trackQuery = parseTrackQuery(userId, query)
    if (trackQuery instanceof ApiError) return trackQuery
    if (!live.has(userId) && !(await isKnown(db, userId)))
      return new ApiError('notFound', 'There is no participant of this userId.')
    const { format = 'geojson' } = query
    const texts = () => {
      const steps = stepsOf(db, trackQuery, { driftGuard, readBuffered })
      return format === 'gpx'
        ? gpxOf(steps, { name, now: now() })
        : geoJsonOf(steps, trackQuery.filtered ? 'lines' : 'points')
    }
    const common = {
      'content-type': MEDIA_TYPE[format],
      'content-disposition': `attachment; filename="${name}.${format}"`,
      'cache-control': 'no-store',
      vary: 'accept-encoding',
    }
    const gzipped = acceptsGzip(headers) ? await whole.run(() => gzipWhole(texts(), GZIP_BYTES_MAX)) : null
    if (gzipped instanceof ApiError) return gzipped
    if (gzipped) return new Response(gzipped, { headers: { ...common, 'content-encoding': 'gzip' } })
    const document = streamed.open(texts())
    return document instanceof ApiError ? document : textStream(document, { headers: common, log })
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
