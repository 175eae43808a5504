import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import { boundedTurns, withinTurn } from '../bounded-queue.ts'
import { keptPoints } from './filtered.ts'
import { geoJsonOf } from './geojson.ts'
import { gpxOf } from './gpx.ts'
import { type Question, questionOf, TrackParams, TrackQuery } from './query.ts'
import { TrackFeatures, TrackGpx } from './schema.ts'
import { splitAtGaps } from './segments.ts'
import { isKnown, storedPoints } from './store.ts'

const MEDIA_TYPE = {
  geojson: 'application/geo+json; charset=utf-8',
  gpx: 'application/gpx+xml; charset=utf-8',
} as const

type Options = {
  db: Database
  /** Whether somebody is on this process's map: known by points that are not flushed yet. */
  live: { has: (userId: string) => boolean }
  driftGuard: boolean
  log: Log
  now: () => number
}

/** Exports that are made at once, and that wait for it: of a long walk each is some seconds of work. */
const AT_ONCE = 2
const WAITING_MAX = 8

/** `GET /admin/users/{userId}/track`: where somebody has been. */
export const participantTrackRoutes = ({ db, live, driftGuard, log, now }: Options) => {
  const turns = boundedTurns({
    atOnce: AT_ONCE,
    waitingMax: WAITING_MAX,
    sentence: 'Too many tracks are being exported right now; please try again in a moment.',
  })
  return new Elysia({ name: 'participant track' }).get(
    '/admin/users/:userId/track',
    async ({ params, query }) => {
      const question = questionOf(params.userId, query)
      if (question instanceof ApiError) return question
      const { userId } = question
      if (!live.has(userId) && !(await isKnown(db, userId)))
        return new ApiError('notFound', 'There is no participant of this userId.')
      const { format = 'geojson' } = query
      const turn = await turns.take()
      if (turn instanceof ApiError) return turn
      const steps = stepsOf(db, question, driftGuard)
      const pieces =
        format === 'gpx'
          ? gpxOf(steps, { userId, now: now() })
          : geoJsonOf(steps, question.filtered ? 'lines' : 'points')
      return textStream(withinTurn(turn, pieces), {
        headers: {
          'content-type': MEDIA_TYPE[format],
          // A userId is letters, digits, _ and -, and so is safe in a file name.
          'content-disposition': `attachment; filename="track-${userId}.${format}"`,
          'cache-control': 'no-store',
        },
        log,
      })
    },
    {
      params: text(TrackParams),
      query: text(TrackQuery),
      detail: describe({
        summary: 'The track of a participant',
        description:
          'Every stored point as of the last flush, or with `filtered=true` those that the distance counted. Raw, lines are split where the phone was silent for more than 15 minutes; filtered, the length of all lines is the distance, so silences that count are bridged. GeoJSON: a LineString for each part, with its times in `coordTimes` and what was measured in `coordinateProperties`, and every point (filtered: every check-in) as a Point with `recordedAt`, `accuracy`, `speed`, `source` and `kind`; GPX 1.1: a track segment for each part, with the same fields in the `extensions` of each point (speed in km/h). Sent in again, the raw points give the same kilometres. Somebody who is known and has no points in the range has an empty document.',
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

function stepsOf(db: Database, question: Question, driftGuard: boolean) {
  if (!question.filtered) return splitAtGaps(storedPoints(db, question))
  // Whether a point counts follows from all before it, and whether it was an outlier from those after it.
  const everything = storedPoints(db, { userId: question.userId, from: null, to: null })
  return keptPoints(everything, { driftGuard, from: question.from, to: question.to })
}
