import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { mapOf, TOKEN } from '../../test/harness.ts'
import { mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, data, checkin, pointAt, addParticipants } = mapHarness({
  prepare: async ({ sql }) => {
    await sql`INSERT INTO engagement.participants (user_id, display_name, consent) VALUES ('ming', '阿明', true)`
  },
})
beforeAll(async () => {
  await checkin('ming', 24.1)
  await pointAt(24.1)
})

test('an invalid parameter is a 400 that names it', async () => {
  for (const [query, field] of [
    ['?bbox=1,2,3', 'bbox'],
    ['?bbox=0,10,1,-10', 'bbox'],
    ['?since=yesterday', 'since'],
    ['?limit=0', 'limit'],
    ['?limit=many', 'limit'],
    ['?format=xml', 'format'],
  ]) {
    const response = await opened().map.get(`/data${query}`)
    expect(response.status).toBe(400)
    expect(response.body.error).toStartWith(`${field}:`)
  }
})

test('geojson is a bare FeatureCollection, columns are integer arrays', async () => {
  const headers = { 'x-internal-token': TOKEN }
  const geo = await opened().map.app.fetch(new Request('http://tracking/data?format=geojson', { headers }))
  expect(geo.headers.get('content-type')).toStartWith('application/geo+json')
  const collection = (await geo.json()) as { type: string; features: object[] }
  expect(collection.type).toBe('FeatureCollection')
  expect(collection.features).toHaveLength(1)
  expect(collection.features).toContainEqual({
    type: 'Feature',
    id: expect.any(String),
    geometry: { type: 'Point', coordinates: [120.6, 24.1] },
    properties: { recordedAt: expect.any(String), level: 1, displayName: '阿明' },
  })
  const columns = (await data('?format=columns')) as unknown as Record<string, unknown[]>
  expect(columns).toMatchObject({ total: 1, cursor: expect.any(String) })
  const row = columns.displayName?.indexOf('阿明') ?? -1
  expect([columns.lat?.[row], columns.lng?.[row], columns.level?.[row]]).toEqual([24_100_000, 120_600_000, 1])
  expect(columns.recordedAt?.[row]).toBeNumber()
  expect(columns.ids).toHaveLength(1)
  expect(columns).not.toHaveProperty('userIds')
})

test('a client that accepts gzip gets the same body compressed', async () => {
  const many = Array.from({ length: 30 }, (_, i) => `crowd-${i}`)
  for (const userId of many) {
    await addParticipants(userId)
    await checkin(userId, 25)
  }
  await until(async () => (await data()).total === 31, { what: 'the crowd is on the map' })
  const request = (encoding: string) =>
    opened().map.app.fetch(
      new Request('http://tracking/data', {
        headers: { 'x-internal-token': TOKEN, 'accept-encoding': encoding },
      }),
    )
  const [plain, gzipped] = await Promise.all([request('identity'), request('gzip, br')])
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(gzipped.headers.get('content-encoding')).toBe('gzip')
  expect(gzipped.headers.get('vary')).toBe('accept-encoding')
  const bytes = Bun.gunzipSync(new Uint8Array(await gzipped.arrayBuffer()))
  expect(new TextDecoder().decode(bytes)).toBe(await plain.text())
})

test('a process that has just started answers 503 until its map is complete', async () => {
  const proxy = await faultProxy(opened().given.database.url)
  await proxy.set('refuse')
  const second = await mapOf(opened().given, { env: { DATABASE_URL: proxy.url } })
  const response = await second.get('/data')
  expect([response.status, response.headers.get('retry-after')]).toEqual([
    503,
    expect.stringMatching(/^\d+$/),
  ])
  expect((await second.get('/data?limit=0')).status).toBe(400)
  await proxy.set('pass')
  const totals = new Set<number>()
  await until(
    async () => {
      const { status, body } = await second.get('/data')
      if (status === 200) totals.add((body.data as { total: number }).total)
      return status === 200
    },
    { what: 'the map is loaded' },
  )
  expect([...totals]).toEqual([(await data()).total])
  await second.close()
  await proxy.close()
})

test('engagement can list who sent points and is not registered yet', async () => {
  await checkin('unregistered', 24.2)
  const unregistered = async () => (await opened().map.get('/internal/unregistered')).body.data
  await until(async () => Bun.deepEquals(await unregistered(), { userIds: ['unregistered'] }), {
    what: 'the unregistered alone',
  })
})
