import { ApiError } from '@palanquin/service/http/api-error'
import { USER_HEADER } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import type { ReadBuffered } from './buffered.ts'
import { type TrackStores, trackDocuments } from './documents.ts'
import { TrackPathParams, TrackQueryParams } from './query.ts'
import { TrackFeatures, TrackGpx } from './schema.ts'

const DOCUMENT =
  'GeoJSON: a LineString for each part, with its times in `coordTimes` and what was measured in `coordinateProperties`, and every point (filtered: every check-in) as a Point with `recordedAt`, `accuracy`, `speed`, `source` and `kind`; GPX 1.1: a track segment for each part, with the same fields in the `extensions` of each point (speed in km/h). Imported again, the raw points give the same kilometres. A known participant without points in the range has an empty document.'
const RAW_OR_FILTERED =
  'Raw, lines are split where the phone was silent for more than 15 minutes; filtered, the length of all lines is the distance, so silences that count are bridged.'
const DOWNLOAD = {
  200: {
    description: 'the track, as a download',
    media: { 'application/geo+json': TrackFeatures, 'application/gpx+xml': TrackGpx },
    headers: ['Content-Disposition', 'Content-Encoding', 'Vary'],
  },
} as const

/** A file that its owner passes on must not contain the userId, by which others could write in their name. */
const OWN_TRACK_NAME = 'track'

/** A participant's track: for organisers and the participant. */
export const participantTrackRoutes = (stores: TrackStores & { readBuffered: ReadBuffered }) => {
  const documentOf = trackDocuments(stores)
  const { readBuffered } = stores
  return new Elysia({ name: 'participant track' })
    .get(
      '/admin/users/:userId/track',
      // A userId has letters, digits, _ and - only, all safe in a file name.
      ({ request: { headers }, params: { userId }, query }) =>
        documentOf({ userId, query, name: `track-${userId}`, headers }),
      {
        params: text(TrackPathParams),
        query: text(TrackQueryParams),
        detail: describe({
          summary: 'The track of a participant',
          description: `Every stored point as of the last flush, or with \`filtered=true\` those that the distance counted. ${RAW_OR_FILTERED} ${DOCUMENT}`,
          tags: ['Administration'],
          answers: DOWNLOAD,
          apiErrors: ['invalid', 'notFound', 'unavailable'],
        }),
      },
    )
    .get(
      '/user/:userId/track',
      ({ request: { headers }, params: { userId }, query }) =>
        headers.get(USER_HEADER) === userId
          ? documentOf({ userId, query, name: OWN_TRACK_NAME, readBuffered, headers })
          : new ApiError('forbidden', 'A track is for its own participant alone.'),
      {
        params: text(TrackPathParams),
        query: text(TrackQueryParams),
        detail: describe({
          summary: 'My track',
          description: `Every point that was sent, or with \`filtered=true\` those that the distance counted as of the last flush. Points of the last minutes may be missing on a crowded day. ${RAW_OR_FILTERED} ${DOCUMENT}`,
          tags: ['participants'],
          answers: DOWNLOAD,
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'unavailable'],
        }),
      },
    )
}
