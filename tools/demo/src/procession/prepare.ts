import { Beacon } from '@palanquin/domain/beacon'
import { type Api, dataOf, type Reply } from '@palanquin/stack/api'
import Type from 'typebox'
import { CARRIERS, NOTICE, PALANQUIN, PLACES } from './guide.ts'
import { ROUTE_DOCUMENT } from './route.ts'

const Stored = Type.Array(Type.Object({ kind: Beacon.properties.kind, devices: Type.Array(Type.String()) }))
const List = Type.Array(Type.Unknown())
const CONFLICT = 409
const LIMITED = 429

/** What was made for the demo; what organisers have set up themselves is left as it is. */
export type Prepared = {
  /** False where the activity has a palanquin of its own, which is none of the demo's business. */
  carriesPalanquin: boolean
  added: string[]
}

/** Appoints the palanquin of the demo, and sets up route, places and a notice, each where there is none yet. */
export async function prepareProcession(api: Api): Promise<Prepared> {
  const owner = api.as('owner')
  const create = async (path: string, body: unknown) => {
    const reply = await unlimited(() => api.post(path, body, owner))
    if (reply.status !== CONFLICT) assertDone(path, reply)
  }
  const listIsEmpty = async (path: string) =>
    dataOf(List, await unlimited(() => api.get(path, owner))).length === 0
  const added: string[] = []

  const beacons = dataOf(Stored, await unlimited(() => api.get('/admin/beacons', owner)))
  const isOwn = ({ devices }: { devices: readonly string[] }) =>
    CARRIERS.every((carrier) => devices.includes(carrier))
  const carriesPalanquin = beacons.some(isOwn) || !beacons.some(({ kind }) => kind === 'palanquin')
  if (carriesPalanquin && !beacons.some(isOwn)) {
    await create('/admin/beacons', PALANQUIN)
    added.push('a palanquin')
  }
  if (await hasNoRoute(api)) {
    await create('/admin/route', ROUTE_DOCUMENT)
    added.push('the route of nine days')
  }
  if (await listIsEmpty('/admin/places')) {
    for (const place of PLACES) await create('/admin/places', place)
    added.push(`${PLACES.length} places`)
  }
  if (await listIsEmpty('/admin/notices')) {
    await create('/admin/notices', NOTICE)
    added.push('a notice')
  }
  return { carriesPalanquin, added }
}

const RouteAnswer = Type.Object({ features: List })

async function hasNoRoute(api: Api): Promise<boolean> {
  const reply = await unlimited(() => api.get('/admin/route', api.as('owner')))
  return dataOf(RouteAnswer, reply).features.length === 0
}

/** Another demo, or an organiser, may have used up the calls of this minute. */
async function unlimited(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await call()
    if (reply.status !== LIMITED) return reply
    await Bun.sleep(Number(reply.headers.get('retry-after') ?? 1) * 1_000)
  }
}

function assertDone(path: string, { status, body }: Reply): void {
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
}
