import { isUtf8 } from 'node:buffer'
import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes } from '@palanquin/service/http/app'
import { LineGeometry } from '@palanquin/service/http/geojson'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { ROUTE_FEATURE } from '../examples.ts'
import { readRouteBody, readRouteFile } from '../route-file.ts'
import type { GuideStore } from '../store.ts'
import { RouteFeatures, routeFeatures } from '../views.ts'
import { as, Deleted, described, respond, tags } from './acts.ts'
import { adminNoticeRoutes } from './notices.ts'
import { adminPlaceRoutes } from './places.ts'

/** Outside of the prefix and its size limit, as other files are (web face, section 4). */
export const ROUTE_UPLOAD_PATH = '/upload/route'
export const ROUTE_UPLOAD_BYTES_MAX = 1_048_576

const RouteSet = Type.Object({
  lines: Type.Integer({ minimum: 1, description: 'parts of the route' }),
  points: Type.Integer({
    minimum: 2,
    description: 'points that were kept: to 10 m, or coarser for a very long route',
  }),
})

/** Any GeoJSON with a line; what is in it the module reads itself. */
const RouteDocument = Type.Object({ type: Type.String() })
const LINE = ROUTE_FEATURE.features[0]?.geometry

const ROUTE_SET = { lines: 1, points: 212 }

const noRoute = new ApiError('notFound', 'There is no route.')

/** The planned or walked way, as organisers draw it or upload it. */
const adminRouteRoutes = ({ store }: { store: GuideStore }) =>
  new Elysia({ name: 'admin-route' })
    .get(
      '/admin/route',
      async ({ request }) =>
        respond(await as(request, 'volunteer', async () => routeFeatures(await store.route()))),
      { detail: described('The route', 200, RouteFeatures, ROUTE_FEATURE) },
    )
    .post(
      '/admin/route',
      async ({ request, body: input }) =>
        respond(await as(request, 'manager', async (by) => putRoute(store, readRouteBody(input), by))),
      {
        body: body(RouteDocument),
        detail: described('Set the route, as GeoJSON', 200, RouteSet, ROUTE_SET, LINE, LineGeometry),
      },
    )
    .patch(
      '/admin/route',
      async ({ request, body: input }) =>
        respond(await as(request, 'manager', async (by) => putRoute(store, readRouteBody(input), by))),
      {
        body: body(RouteDocument),
        detail: described('The same as POST', 200, RouteSet, ROUTE_SET, LINE, LineGeometry),
      },
    )
    .delete(
      '/admin/route',
      async ({ request }) =>
        respond(
          await as(request, 'manager', async (by) =>
            (await store.deleteRoute(by)) ? { id: 'route' } : noRoute,
          ),
        ),
      { detail: described('Delete the route', 200, Deleted, { id: 'route' }) },
    )
    .post(
      ROUTE_UPLOAD_PATH,
      async ({ request, body: input }) =>
        respond(
          await as(request, 'manager', async (by) => {
            const bytes = bodyBytes(input)
            if (!isUtf8(bytes))
              return new ApiError('invalid', 'The file is not UTF-8 text: expected GeoJSON or GPX.')
            return putRoute(store, readRouteFile(new TextDecoder().decode(bytes)), by)
          }),
        ),
      {
        detail: describe({
          summary: 'Set the route by a file, GeoJSON or GPX',
          description: 'At most 1 MiB. The lines of the file are kept to 10 m.',
          tags,
          bodies: {
            'application/json': { schema: LineGeometry, example: LINE },
            'application/gpx+xml': { schema: Type.String({ description: 'GPX with a track or a route' }) },
          },
          answers: { 200: { description: 'as it stands now', data: RouteSet, example: ROUTE_SET } },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )

async function putRoute(store: GuideStore, lines: ReturnType<typeof readRouteBody>, by: string) {
  if (lines instanceof ApiError) return lines
  await store.putRoute(lines, by)
  return { lines: lines.length, points: lines.reduce((sum, line) => sum + line.length, 0) }
}

/** What organisers write of the guide: reading from tier 1, writing from tier 2. */
export const adminGuideRoutes = (dependencies: { store: GuideStore }) =>
  new Elysia({ name: 'admin-guide' })
    .use(adminPlaceRoutes(dependencies))
    .use(adminNoticeRoutes(dependencies))
    .use(adminRouteRoutes(dependencies))
