import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { asTier, bareApp } from '../../test/bare-app.ts'
import { clustersRoutes } from './route.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'test', level: 'silent' })
const POSITIONS = [
  { userId: 'one', lat: 24.1, lng: 120.6 },
  { userId: 'two', lat: 24.1002, lng: 120.6002 },
  { userId: 'gone', lat: 25, lng: 121.5 },
]
let isReady = true
let database: TestDatabase
let db: Database
let get: (path: string, tier?: number) => Promise<Response>
beforeAll(async () => {
  database = await testDatabase()
  db = connectDatabase({ url: database.url, name: 'clusters', log })
  const live = {
    isReady: () => isReady,
    crowd: () => POSITIONS,
    hasWithdrawn: (userId: string) => userId === 'gone',
  }
  const app = bareApp(log).use(clustersRoutes({ db, live, log }))
  get = async (query, tier = 2) => app.handle(asTier(tier, `/admin/clusters?${query}`))
})
afterAll(async () => {
  await db.close()
  await database.close()
})

test('latest counts the latest position of every participant by cell, with the mean place of each', async () => {
  const response = await get('bbox=120,24,121,24.5&zoom=12')
  expect(await response.json()).toEqual({
    ok: true,
    data: { zoom: 12, cellDegrees: 90 / 4096, clusters: [{ lat: 24.1001, lng: 120.6001, count: 2 }] },
  })
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('GeoJSON has a point for each cell, and the whole Earth is the box where none is given', async () => {
  const response = await get('format=geojson')
  expect(response.headers.get('content-type')).toStartWith('application/geo+json')
  expect(await response.json()).toEqual({
    type: 'FeatureCollection',
    zoom: 10,
    cellDegrees: 90 / 1024,
    features: [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [120.6001, 24.1001] },
        properties: { count: 2 },
      },
      { type: 'Feature', geometry: { type: 'Point', coordinates: [121.5, 25] }, properties: { count: 1 } },
    ],
  })
})

test('a volunteer sees zoom 14 at most, cell centres, and no withdrawn participants', async () => {
  const [fine, coarse] = await Promise.all([get('zoom=20', 1), get('zoom=14', 1)])
  const clusters = await fine.json()
  expect(clusters).toEqual(await coarse.json())
  const cell = 90 / 2 ** 14
  const middle = (degrees: number) => Math.round((Math.floor(degrees / cell) + 0.5) * cell * 1e7) / 1e7
  expect(clusters).toEqual({
    ok: true,
    data: { zoom: 14, cellDegrees: cell, clusters: [{ lat: middle(24.1), lng: middle(120.6), count: 2 }] },
  })
  expect(await (await get('zoom=20', 2)).json()).toMatchObject({
    data: { zoom: 20, clusters: POSITIONS.map(({ lat, lng }) => ({ lat, lng, count: 1 })) },
  })
})

test('beyond a short queue requests get a 503 with Retry-After, and responses are not mixed up', async () => {
  const responses = await Promise.all(Array.from({ length: 40 }, () => get('of=all&zoom=3')))
  const refused = responses.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^\d+$/)
  const taken = responses.filter(({ status }) => status === 200)
  expect(taken.length).toBeGreaterThan(0)
  for (const response of taken)
    expect(await response.json()).toMatchObject({ data: { zoom: 3, clusters: [] } })
  expect((await get('of=all')).status).toBe(200)
})

test('an empty box, or an empty store, has no clusters', async () => {
  for (const query of ['bbox=0,0,1,1', 'of=all', 'of=all&zoom=20', 'of=all&zoom=0&bbox=170,-10,-170,10'])
    expect(await (await get(query)).json()).toMatchObject({ ok: true, data: { clusters: [] } })
})

test('while the map is being loaded, latest is 503 and all is answered', async () => {
  isReady = false
  const response = await get('zoom=3')
  expect({ status: response.status, retryAfter: response.headers.get('retry-after') }).toEqual({
    status: 503,
    retryAfter: '5',
  })
  expect((await get('of=all')).status).toBe(200)
  isReady = true
})

test('an invalid parameter is a 400 that names it', async () => {
  for (const query of [
    'zoom=21',
    'zoom=-1',
    'zoom=1.5',
    'of=some',
    'format=xml',
    'bbox=1,2,3',
    'bbox=0,5,1,4',
  ]) {
    const response = await get(query)
    expect({ query, status: response.status }).toEqual({ query, status: 400 })
    expect(((await response.json()) as { error: string }).error).toStartWith(`${query.split('=')[0]}:`)
  }
})
