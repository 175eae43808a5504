import { PLACES_MAX, PlaceBody, PlacePatch } from '@palanquin/domain/guide'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { knownBody } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { PLACE } from '../examples.ts'
import type { GuideStore } from '../store.ts'
import { Place, placeView } from '../views.ts'
import { as, Deleted, described, full, respond, UUID } from './acts.ts'

const noSuchPlace = new ApiError('notFound', 'There is no place with this id.')
const { id: _, ...PLACE_BODY } = PLACE

/** The services on the way, as organisers keep them. */
export const adminPlaceRoutes = ({ store }: { store: GuideStore }) =>
  new Elysia({ name: 'admin-places' })
    .get(
      '/admin/places',
      async ({ request }) =>
        respond(await as(request, 'volunteer', async () => (await store.places()).map(placeView))),
      { detail: described('All places', 200, Type.Array(Place), [PLACE]) },
    )
    .post(
      '/admin/places',
      async ({ request, body: input, set }) => {
        const added = await as(
          request,
          'manager',
          async (by) => (await store.addPlace(input, by)) ?? full('places', PLACES_MAX),
        )
        if (added instanceof ApiError) return added
        set.status = 201
        return ok(placeView(added))
      },
      { body: knownBody(PlaceBody), detail: described('Add a place', 201, Place, PLACE, PLACE_BODY) },
    )
    .patch(
      '/admin/places/:id',
      async ({ request, params: { id }, body: input }) => {
        const changed = await as(
          request,
          'manager',
          async (by) => (UUID.test(id) && (await store.changePlace(id, input, by))) || noSuchPlace,
        )
        return changed instanceof ApiError ? changed : ok(placeView(changed))
      },
      { body: knownBody(PlacePatch), detail: described('Change a place', 200, Place, PLACE, { note: null }) },
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
