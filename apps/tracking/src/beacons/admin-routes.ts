import { BEACON_DEVICES_MAX, BeaconBody } from '@palanquin/domain/beacon'
import { ROLE_LEVEL, ROLES } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { actorOf, callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { knownBody } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type, { type TSchema } from 'typebox'
import { BEACONS_MAX, type BeaconStore } from './store.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const StoredBeacon = Type.Object({
  id: Type.String({ description: 'identifier of the beacon' }),
  ...BeaconBody.properties,
})
const Deleted = Type.Object({ id: Type.String({ description: 'of what was deleted' }) })
const EXAMPLE_BODY = {
  kind: 'palanquin',
  name: { zh: '白沙屯媽祖鑾轎', en: 'Mazu palanquin' },
  devices: ['carrier-1', 'carrier-2'],
}
const EXAMPLE = { id: '0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e10', ...EXAMPLE_BODY }

const noSuchBeacon = new ApiError('notFound', 'There is no beacon with this id.')
const forbidden = new ApiError('forbidden', 'This needs the token of a manager or above.')

const described = (summary: string, status: 200 | 201, data: TSchema, example: unknown, request?: unknown) =>
  describe({
    summary,
    tags: ['administration'],
    ...(request === undefined ? {} : { example: request }),
    answers: { [status]: { description: 'as it stands now', data, example } },
    apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'conflict', 'unavailable'],
  })

/** A manager or owner as the audit names them; a second line of defence behind the gateway's table. */
function managerOf(request: Request): string | ApiError {
  const { tier } = callerOf(request.headers)
  const role = ROLES.find((one) => ROLE_LEVEL[one] === tier)
  return role === undefined || tier < ROLE_LEVEL.manager ? forbidden : actorOf(request.headers, role)
}

/** Why a beacon was not stored. */
async function conflictOf(
  store: BeaconStore,
  devices: readonly string[],
  id: string | null,
): Promise<ApiError> {
  const [other] = (await store.carried(devices)).filter(({ beaconId }) => beaconId !== id)
  return other
    ? new ApiError(
        'conflict',
        `devices: ${other.device} carries another beacon already; take it away there first.`,
      )
    : id === null
      ? new ApiError('conflict', `There are ${BEACONS_MAX} beacons already; please delete one first.`)
      : noSuchBeacon
}

/** Beacons and the devices that carry them: read from tier 1 (by the gateway's table), written from tier 2. */
export const adminBeaconRoutes = ({ store, onChange }: { store: BeaconStore; onChange: () => void }) =>
  new Elysia({ name: 'admin-beacons' })
    .get('/admin/beacons', async () => ok(await store.list()), {
      detail: described('All beacons with their devices', 200, Type.Array(StoredBeacon), [EXAMPLE]),
    })
    .post(
      '/admin/beacons',
      async ({ request, body: given, set }) => {
        const by = managerOf(request)
        if (by instanceof ApiError) return by
        const id = await store.add(given, by)
        if (id === null) return conflictOf(store, given.devices, null)
        onChange()
        set.status = 201
        return ok({ id, ...given })
      },
      {
        body: knownBody(BeaconBody),
        detail: described('Add a beacon', 201, StoredBeacon, EXAMPLE, EXAMPLE_BODY),
      },
    )
    .patch(
      '/admin/beacons/:id',
      async ({ request, params: { id }, body: given }) => {
        const by = managerOf(request)
        if (by instanceof ApiError) return by
        if (!UUID.test(id)) return noSuchBeacon
        if ((await store.change(id, given, by)) === null) return conflictOf(store, given.devices ?? [], id)
        onChange()
        const changed = (await store.list()).find((beacon) => beacon.id === id)
        return changed ? ok(changed) : noSuchBeacon
      },
      {
        body: knownBody(Type.Partial(BeaconBody)),
        detail: described(
          `Change a beacon, or which devices (at most ${BEACON_DEVICES_MAX}) carry it`,
          200,
          StoredBeacon,
          EXAMPLE,
          {
            devices: ['carrier-3'],
          },
        ),
      },
    )
    .delete(
      '/admin/beacons/:id',
      async ({ request, params: { id } }) => {
        const by = managerOf(request)
        if (by instanceof ApiError) return by
        if (!UUID.test(id) || !(await store.remove(id, by))) return noSuchBeacon
        onChange()
        return ok({ id })
      },
      { detail: described('Delete a beacon', 200, Deleted, { id: EXAMPLE.id }) },
    )
