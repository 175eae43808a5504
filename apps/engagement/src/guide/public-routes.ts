import { ConsentText } from '@palanquin/domain/consent'
import { Notice } from '@palanquin/domain/guide'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { publicBody, publicResponse } from '@palanquin/service/http/public-response'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { CONSENT, NOTICE, PLACE_FEATURE, ROUTE_FEATURE } from './examples.ts'
import type { GuideStore } from './store.ts'
import { noticeView, PlaceFeatures, placeFeatures, RouteFeatures, routeFeatures } from './views.ts'

/** How long any cache may keep each (web face, section 4: 30 to 300 s). */
const GUIDE_MAX_AGE_S = 30
const CONSENT_MAX_AGE_S = 30
/** An organiser's change is read by this process within this time; caches add theirs. */
const READ_EVERY_MS = 2_000

const GEOJSON = 'application/geo+json'
const tags = ['guide']
const SAME_FOR_ALL = 'The same bytes for everybody, so a CDN may answer it.'
const NOT_MODIFIED = { 304: { description: 'it is what you have', headers: ['ETag'] as const } }

type Options = { store: GuideStore; consent: () => ConsentText; now: () => number }

/** What everybody reads on the way: places, route, notices, and the privacy notice. */
export const publicGuideRoutes = ({ store, consent, now }: Options) => {
  const made = (read: () => Promise<object>) =>
    memoize(async () => publicBody(JSON.stringify(await read())), { ttlMs: READ_EVERY_MS, now })
  const places = made(async () => placeFeatures(await store.places()))
  const route = made(async () => routeFeatures(await store.route()))
  const notices = made(async () => ok((await store.notices(new Date(now()))).map(noticeView)))
  const notice = made(async () => ok(consent()))
  return new Elysia({ name: 'public-guide' })
    .get(
      '/places',
      async () => publicResponse(await places(), { maxAgeS: GUIDE_MAX_AGE_S, contentType: GEOJSON }),
      {
        detail: describe({
          summary: 'Services on the way',
          description: `A GeoJSON point for each. ${SAME_FOR_ALL}`,
          tags,
          answers: {
            200: {
              description: 'the places',
              media: { [GEOJSON]: PlaceFeatures },
              example: PLACE_FEATURE,
              headers: ['ETag'],
            },
            ...NOT_MODIFIED,
          },
          apiErrors: ['unavailable'],
        }),
      },
    )
    .get(
      '/route',
      async () => publicResponse(await route(), { maxAgeS: GUIDE_MAX_AGE_S, contentType: GEOJSON }),
      {
        detail: describe({
          summary: 'The planned or walked way',
          description: `A GeoJSON line for each part. ${SAME_FOR_ALL}`,
          tags,
          answers: {
            200: {
              description: 'the route',
              media: { [GEOJSON]: RouteFeatures },
              example: ROUTE_FEATURE,
              headers: ['ETag'],
            },
            ...NOT_MODIFIED,
          },
          apiErrors: ['unavailable'],
        }),
      },
    )
    .get('/notices', async () => publicResponse(await notices(), { maxAgeS: GUIDE_MAX_AGE_S }), {
      detail: describe({
        summary: 'What the organisers announce, newest first',
        description: `Text, never markup. ${SAME_FOR_ALL}`,
        tags,
        answers: {
          200: { description: 'the notices', data: Type.Array(Notice), example: [NOTICE], headers: ['ETag'] },
          ...NOT_MODIFIED,
        },
        apiErrors: ['unavailable'],
      }),
    })
    .get('/consent', async () => publicResponse(await notice(), { maxAgeS: CONSENT_MAX_AGE_S }), {
      detail: describe({
        summary: 'The privacy notice and its version',
        description: SAME_FOR_ALL,
        tags,
        answers: {
          200: { description: 'the notice', data: ConsentText, example: CONSENT, headers: ['ETag'] },
          ...NOT_MODIFIED,
        },
      }),
    })
}
