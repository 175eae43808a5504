import { isUtf8 } from 'node:buffer'
import {
  NOTICES_MAX,
  Notice,
  NoticeBody,
  NoticePatch,
  PLACES_MAX,
  PlaceBody,
  PlacePatch,
} from '@palanquin/domain/guide'
import type { Role } from '@palanquin/domain/role'
import { INSTANT_EXPECTED, parseInstant, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import { LineGeometry } from '@palanquin/service/http/geojson'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type, { type TSchema } from 'typebox'
import { administratorOf } from '../roles/caller.ts'
import { NOTICE, PLACE, ROUTE_FEATURE } from './examples.ts'
import { readRouteBody, readRouteFile } from './route-file.ts'
import type { GuideStore } from './store.ts'
import { noticeView, Place, placeView, RouteFeatures, routeFeatures } from './views.ts'

/** Outside of the specification's prefix and its size limit, as other files are (web face, section 4). */
export const ROUTE_UPLOAD_PATH = '/upload/route'
export const ROUTE_UPLOAD_BYTES_MAX = 1_048_576

const tags = ['guide']
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const Deleted = Type.Object({ id: Type.String({ description: 'of what was deleted' }) })
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

const noEnd = new ApiError('invalid', `until: expected ${INSTANT_EXPECTED}`)

/** The end of a notice as ISO text; null where it has none, and an error where it is no time. */
function endOf(until: string | number | null | undefined): string | null | ApiError {
  if (until === undefined || until === null) return null
  const ms = parseInstant(until)
  return ms === null ? noEnd : toIso(ms)
}

const noSuchPlace = new ApiError('notFound', 'There is no place with this id.')
const noSuchNotice = new ApiError('notFound', 'There is no notice with this id.')
const noRoute = new ApiError('notFound', 'There is no route.')
const full = (what: string, max: number) =>
  new ApiError('conflict', `There are ${max} ${what} already; please delete one first.`)

const respond = <T extends object>(outcome: T | ApiError) =>
  outcome instanceof ApiError ? outcome : ok(outcome)

/** Runs an act of an organiser of at least the role `least`. */
async function as<T>(
  request: Request,
  least: Role,
  act: (by: string) => Promise<T | ApiError>,
): Promise<T | ApiError> {
  const administrator = administratorOf(request.headers, least)
  return administrator instanceof ApiError ? administrator : act(administrator.by)
}

/** `request`: an example of the body; `schema`: the body as a reader should know it, where it is read by the module itself. */
const described = (
  summary: string,
  status: 200 | 201,
  data: TSchema,
  example: unknown,
  request?: unknown,
  schema?: TSchema,
) =>
  describe({
    summary,
    tags,
    ...(request === undefined ? {} : { example: request }),
    ...(schema === undefined ? {} : { body: schema }),
    answers: { [status]: { description: 'as it stands now', data, example } },
    apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'conflict', 'unavailable'],
  })

const { id: _, ...PLACE_BODY } = PLACE
const NOTICE_BODY = { level: 'warning', zh: NOTICE.zh, en: NOTICE.en, until: NOTICE.until }
const ROUTE_SET = { lines: 1, points: 212 }

/** What organisers write of the guide: reading from tier 1, writing from tier 2. */
export const adminGuideRoutes = ({ store }: { store: GuideStore }) =>
  new Elysia({ name: 'admin-guide' })
    .get(
      '/admin/places',
      async ({ request }) =>
        respond(await as(request, 'volunteer', async () => (await store.places()).map(placeView))),
      { detail: described('All places', 200, Type.Array(Place), [PLACE]) },
    )
    .post(
      '/admin/places',
      async ({ request, body: given, set }) => {
        const added = await as(
          request,
          'manager',
          async (by) => (await store.addPlace(given, by)) ?? full('places', PLACES_MAX),
        )
        if (added instanceof ApiError) return added
        set.status = 201
        return ok(placeView(added))
      },
      { body: body(PlaceBody), detail: described('Add a place', 201, Place, PLACE, PLACE_BODY) },
    )
    .patch(
      '/admin/places/:id',
      async ({ request, params: { id }, body: given }) => {
        const changed = await as(
          request,
          'manager',
          async (by) => (UUID.test(id) && (await store.changePlace(id, given, by))) || noSuchPlace,
        )
        return changed instanceof ApiError ? changed : ok(placeView(changed))
      },
      { body: body(PlacePatch), detail: described('Change a place', 200, Place, PLACE, { note: null }) },
    )
    .delete(
      '/admin/places/:id',
      async ({ request, params: { id } }) =>
        respond(
          await as(request, 'manager', async (by) =>
            UUID.test(id) && (await store.deletePlace(id, by)) ? { id } : noSuchPlace,
          ),
        ),
      { detail: described('Delete a place', 200, Deleted, { id: PLACE.id }) },
    )
    .get(
      '/admin/notices',
      async ({ request }) =>
        respond(await as(request, 'volunteer', async () => (await store.notices()).map(noticeView))),
      { detail: described('All notices, those that are over too', 200, Type.Array(Notice), [NOTICE]) },
    )
    .post(
      '/admin/notices',
      async ({ request, body: given, set }) => {
        const added = await as(request, 'manager', async (by) => addNotice(store, given, by))
        if (added instanceof ApiError) return added
        set.status = 201
        return ok(noticeView(added))
      },
      { body: body(NoticeBody), detail: described('Announce something', 201, Notice, NOTICE, NOTICE_BODY) },
    )
    .patch(
      '/admin/notices/:id',
      async ({ request, params: { id }, body: given }) => {
        const changed = await as(
          request,
          'manager',
          async (by) => (UUID.test(id) && (await changeNotice(store, { id, given }, by))) || noSuchNotice,
        )
        return changed instanceof ApiError ? changed : ok(noticeView(changed))
      },
      {
        body: body(NoticePatch),
        detail: described('Change a notice', 200, Notice, NOTICE, { level: 'info' }),
      },
    )
    .delete(
      '/admin/notices/:id',
      async ({ request, params: { id } }) =>
        respond(
          await as(request, 'manager', async (by) =>
            UUID.test(id) && (await store.deleteNotice(id, by)) ? { id } : noSuchNotice,
          ),
        ),
      { detail: described('Delete a notice', 200, Deleted, { id: NOTICE.id }) },
    )
    .get(
      '/admin/route',
      async ({ request }) =>
        respond(await as(request, 'volunteer', async () => routeFeatures(await store.route()))),
      { detail: described('The route', 200, RouteFeatures, ROUTE_FEATURE) },
    )
    .post(
      '/admin/route',
      async ({ request, body: given }) =>
        respond(await as(request, 'manager', async (by) => putRoute(store, readRouteBody(given), by))),
      {
        body: body(RouteDocument),
        detail: described('Set the route, as GeoJSON', 200, RouteSet, ROUTE_SET, LINE, LineGeometry),
      },
    )
    .patch(
      '/admin/route',
      async ({ request, body: given }) =>
        respond(await as(request, 'manager', async (by) => putRoute(store, readRouteBody(given), by))),
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
      async ({ request, body: given }) =>
        respond(
          await as(request, 'manager', async (by) => {
            const bytes = bodyBytes(given)
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

async function addNotice(store: GuideStore, given: NoticeBody, by: string) {
  const until = endOf(given.until)
  if (until instanceof ApiError) return until
  return (await store.addNotice({ ...given, until }, by)) ?? full('notices', NOTICES_MAX)
}

async function changeNotice(
  store: GuideStore,
  { id, given }: { id: string; given: NoticePatch },
  by: string,
) {
  const { until, ...others } = given
  if (until === undefined) return store.changeNotice(id, others, by)
  const end = endOf(until)
  return end instanceof ApiError ? end : store.changeNotice(id, { ...others, until: end }, by)
}
