import { Beacon } from '@palanquin/domain/beacon'
import { Nullable } from '@palanquin/domain/optional'
import { parseInstant } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { FeatureOf, LineGeometry } from '@palanquin/service/http/geojson'
import { describe } from '@palanquin/service/http/openapi'
import { publicBody, publicResponse } from '@palanquin/service/http/public-response'
import { text } from '@palanquin/service/http/standard-schema'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { Beacons } from './beacons.ts'

/** How long any cache may keep each (web face, section 4). */
const BEACONS_MAX_AGE_S = 5
const TRAIL_MAX_AGE_S = 30
/** The list is made once in this time for all readers. */
const MADE_EVERY_MS = 1_000
const GEOJSON = 'application/geo+json'

const Trail = FeatureOf({
  geometry: Nullable(LineGeometry, 'null before there is a position'),
  properties: Type.Object(
    {
      times: Type.Array(Type.Integer(), {
        description: 'when it was at each position, in epoch milliseconds',
      }),
    },
    { description: 'when' },
  ),
})
const EXAMPLE: Beacon = {
  id: '0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e10',
  kind: 'palanquin',
  name: { zh: '白沙屯媽祖鑾轎', en: 'Mazu palanquin' },
  lat: 24.1477,
  lng: 120.6736,
  recordedAt: '2026-04-17T14:05:00.000Z',
  accuracyM: 6,
  speedKmh: 4.3,
  heading: 190,
  state: 'moving',
  restingSince: null,
  place: { county: { zh: '臺中市', en: 'Taichung City' }, town: { zh: '大甲區', en: 'Dajia District' } },
}
const TRAIL_EXAMPLE = {
  type: 'Feature',
  geometry: {
    type: 'LineString',
    coordinates: [
      [120.7081, 24.5663],
      [120.6823, 24.4921],
    ],
  },
  properties: { times: [1_776_000_000_000, 1_776_003_600_000] },
}
const NOT_MODIFIED = { 304: { description: 'it is what you have', headers: ['ETag'] as const } }
const notLoaded = new ApiError('unavailable', 'The map is being loaded; please try again in a moment.')
const noSuchBeacon = new ApiError('notFound', 'There is no beacon with this id.')

/** `GET /beacons` and their trails: the palanquin and the vehicles of the procession, for everybody. */
export const beaconRoutes = (beacons: Pick<Beacons, 'isLoaded' | 'list' | 'trail'>) => {
  const listed = memoize(async () => publicBody(JSON.stringify(ok(beacons.list()))), { ttlMs: MADE_EVERY_MS })
  return new Elysia({ name: 'beacons' })
    .get(
      '/beacons',
      async () =>
        beacons.isLoaded() ? publicResponse(await listed(), { maxAgeS: BEACONS_MAX_AGE_S }) : notLoaded,
      {
        detail: describe({
          summary: 'Where the palanquin and the vehicles of the procession are',
          description: 'The palanquin first. The same bytes for everybody, so a CDN may answer it.',
          tags: ['GPS'],
          answers: {
            200: {
              description: 'the beacons',
              data: Type.Array(Beacon),
              example: [EXAMPLE],
              headers: ['ETag'],
            },
            ...NOT_MODIFIED,
          },
          apiErrors: ['unavailable'],
        }),
      },
    )
    .get(
      '/beacons/:id/trail',
      ({ params: { id }, query: { since } }) => {
        if (!beacons.isLoaded()) return notLoaded
        const sinceMs = since === undefined ? null : parseInstant(since)
        if (since !== undefined && sinceMs === null)
          return new ApiError('invalid', 'since: expected an ISO 8601 time with an offset')
        const trail = beacons.trail(id, sinceMs)
        return trail === null
          ? noSuchBeacon
          : publicResponse(trail, { maxAgeS: TRAIL_MAX_AGE_S, contentType: GEOJSON })
      },
      {
        query: text(
          Type.Object({
            since: Type.Optional(
              Type.String({
                description: 'only what came after this time, which is rounded down to a minute',
              }),
            ),
          }),
        ),
        detail: describe({
          summary: 'The way of a beacon in the last twelve hours',
          description:
            'A GeoJSON line, simplified to 10 m, with the time of each position. A point is on it within some two seconds of its arrival; what a device sent of the time before it was given to the beacon is not on it.',
          tags: ['GPS'],
          answers: {
            200: {
              description: 'the trail',
              media: { [GEOJSON]: Trail },
              example: TRAIL_EXAMPLE,
              headers: ['ETag'],
            },
            ...NOT_MODIFIED,
          },
          apiErrors: ['invalid', 'notFound', 'unavailable'],
        }),
      },
    )
}
