import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import { createBoundedQueue, releaseAfter } from '../bounded-queue.ts'
import { filteredSteps } from './filtered.ts'
import { geoJsonOf } from './geojson.ts'
import { gpxOf } from './gpx.ts'
import { parseTrackQuery, TrackPathParams, type TrackQuery, TrackQueryParams } from './query.ts'
import { TrackFeatures, TrackGpx } from './schema.ts'
import { splitAtGaps } from './segments.ts'
import { isKnown, storedPoints } from './store.ts'

const MEDIA_TYPE = {
  geojson: 'application/geo+json; charset=utf-8',
  gpx: 'application/gpx+xml; charset=utf-8',
} as const

type Options = {
  db: Database
  /** Whether the participant's position is known: they may have no flushed points yet. */
  live: { has: (userId: string) => boolean }
  driftGuard: boolean
  log: Log
  now: () => number
}

/** The export of a long walk takes some seconds. */
const CONCURRENCY = 2
const WAITING_MAX = 8

/** `GET /admin/users/{userId}/track`: the track of a participant. */
export const participantTrackRoutes = ({ db, live, driftGuard, log, now }: Options) => {
  const queue = createBoundedQueue({
    concurrency: CONCURRENCY,
    waitingMax: WAITING_MAX,
    busyMessage: 'Too many tracks are being exported right now; please try again in a moment.',
  })
  return new Elysia({ name: 'participant track' }).get(
    '/admin/users/:userId/track',
    async ({ params, query }) => {
      const trackQuery = parseTrackQuery(params.userId, query)
      if (trackQuery instanceof ApiError) return trackQuery
      const { userId } = trackQuery
      if (!live.has(userId) && !(await isKnown(db, userId)))
        return new ApiError('notFound', 'There is no participant of this userId.')
      const { format = 'geojson' } = query
      const release = await queue.acquire()
      if (release instanceof ApiError) return release
      const steps = stepsOf(db, trackQuery, driftGuard)
      const chunks =
        format === 'gpx'
          ? gpxOf(steps, { userId, now: now() })
          : geoJsonOf(steps, trackQuery.filtered ? 'lines' : 'points')
      return textStream(releaseAfter(release, chunks), {
        headers: {
          'content-type': MEDIA_TYPE[format],
          // A userId has letters, digits, _ and - only, all safe in a file name.
          'content-disposition': `attachment; filename="track-${userId}.${format}"`,
          'cache-control': 'no-store',
        },
        log,
      })
    },
    {
      params: text(TrackPathParams),
      query: text(TrackQueryParams),
      detail: describe({
        summary: 'The track of a participant',
        description:
          'Every stored point as of the last flush, or with `filtered=true` those that the distance counted. Raw, lines are split where the phone was silent for more than 15 minutes; filtered, the length of all lines is the distance, so silences that count are bridged. GeoJSON: a LineString for each part, with its times in `coordTimes` and what was measured in `coordinateProperties`, and every point (filtered: every check-in) as a Point with `recordedAt`, `accuracy`, `speed`, `source` and `kind`; GPX 1.1: a track segment for each part, with the same fields in the `extensions` of each point (speed in km/h). Imported again, the raw points give the same kilometres. A known participant without points in the range has an empty document.',
        tags: ['Administration'],
        answers: {
          200: {
            description: 'the track, as a download',
            media: { 'application/geo+json': TrackFeatures, 'application/gpx+xml': TrackGpx },
            headers: ['Content-Disposition'],
          },
        },
        apiErrors: ['invalid', 'notFound', 'unavailable'],
      }),
    },
  )
}

function stepsOf(db: Database, query: TrackQuery, driftGuard: boolean) {
  if (!query.filtered) return splitAtGaps(storedPoints(db, query))
  // Whether a point counts depends on all points before it, and on the few after it that may prove it an outlier.
  const everything = storedPoints(db, { userId: query.userId, from: null, to: null })
  return filteredSteps(everything, { driftGuard, from: query.from, to: query.to })
}
