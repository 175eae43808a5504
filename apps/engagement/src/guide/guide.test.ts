import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Longer than the process keeps what it has read. */
const LATER_MS = 10_000
let nowMs = Date.parse('2026-05-01T15:00:00.000Z')
let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService({ now: () => nowMs })
})
afterAll(() => service.close())
afterEach(() => {
  nowMs += LATER_MS
})

const PLACE = { kind: 'supply', name: { zh: '慈惠宮', en: 'Cihui Temple' }, lat: 23.95, lng: 120.57 }
const LINE = {
  type: 'LineString',
  coordinates: [
    [120.5, 24],
    [120.5, 24.00001],
    [120.6, 24.1],
  ],
}
const audited = async () =>
  (await service.sql`SELECT type, by FROM engagement.audit ORDER BY id`).map((row) => `${row.type} ${row.by}`)
const read = async (path: string) => (await service.respond(path)).json() as Promise<Record<string, unknown>>

test('a place is added, changed and deleted by a manager, and everybody reads it as GeoJSON', async () => {
  const added = await service.call('/admin/places', {
    body: { ...PLACE, note: { zh: '熱粥', en: 'Porridge' } },
    tier: 2,
  })
  expect(added.status).toBe(201)
  const { id } = added.body.data as { id: string }
  const answer = await service.respond('/places')
  expect(answer.headers.get('content-type')).toBe('application/geo+json')
  expect(answer.headers.get('cache-control')).toBe('public, max-age=30, stale-while-revalidate=30')
  expect(await answer.json()).toEqual({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates: [120.57, 23.95] },
        properties: { kind: 'supply', name: PLACE.name, note: { zh: '熱粥', en: 'Porridge' } },
      },
    ],
  })
  expect(
    await service.data(`/admin/places/${id}`, { method: 'PATCH', body: { note: null, lat: 24 }, tier: 2 }),
  ).toEqual({ id, ...PLACE, lat: 24, note: null })
  expect(await service.data(`/admin/places/${id}`, { method: 'DELETE', tier: 2 })).toEqual({ id })
  nowMs += LATER_MS
  expect(await read('/places')).toEqual({ type: 'FeatureCollection', features: [] })
  expect(await audited()).toEqual(['place.added manager', 'place.changed manager', 'place.deleted manager'])
})

test.each([
  [{ ...PLACE, lat: 91 }, 'lat'],
  [{ ...PLACE, lng: '120' }, 'lng'],
  [{ ...PLACE, kind: 'bar' }, 'kind'],
  [{ ...PLACE, name: { zh: '慈惠宮' } }, 'name'],
  [{ ...PLACE, name: { zh: ' ', en: 'x' } }, 'name'],
])('%j is no place: 400 names the field, and nothing changes', async (body, field) => {
  const before = await read('/places')
  const { status, body: answer } = await service.call('/admin/places', { body, tier: 2 })
  expect([status, String(answer.error).startsWith(field)]).toEqual([400, true])
  nowMs += LATER_MS
  expect(await read('/places')).toEqual(before)
})

test('a volunteer reads and does not write, and an unknown id is 404', async () => {
  expect((await service.call('/admin/places', { tier: 1 })).status).toBe(200)
  expect((await service.call('/admin/places', { body: PLACE, tier: 1 })).status).toBe(403)
  expect((await service.call('/admin/notices', { body: {}, tier: 0 })).status).toBe(400)
  for (const id of ['none', '0197a3c4-6c1e-7c1a-9a43-4f2f6b1c9e10'])
    expect((await service.call(`/admin/places/${id}`, { method: 'DELETE', tier: 2 })).status).toBe(404)
})

test('a notice is shown until its end, newest first, and its text is text', async () => {
  const until = new Date(nowMs + 2 * LATER_MS).toISOString()
  const text = { zh: '<b>大雨</b>', en: '<script>alert(1)</script>' }
  await service.call('/admin/notices', { body: { level: 'info', zh: '一', en: 'one' }, tier: 2 })
  const { body } = await service.call('/admin/notices', {
    body: { level: 'urgent', ...text, until },
    tier: 3,
  })
  const notices = async () =>
    ((await read('/notices')).data as { zh: string; until: string | null }[]).map(({ zh }) => zh)
  expect(await notices()).toEqual([text.zh, '一'])
  nowMs += 3 * LATER_MS
  expect(await notices()).toEqual(['一'])
  const { id } = body.data as { id: string }
  expect(
    await service.data(`/admin/notices/${id}`, { method: 'PATCH', body: { until: null }, tier: 2 }),
  ).toMatchObject({ id, until: null, level: 'urgent' })
  nowMs += LATER_MS
  expect(await notices()).toEqual([text.zh, '一'])
})

const upload = (body: string, tier: 0 | 1 | 2 | 3 = 2) =>
  service.call('/upload/route', {
    method: 'POST',
    body,
    tier,
    headers: { 'content-type': 'application/octet-stream' },
  })
const gpx = (points: string) => `<?xml version="1.0"?><gpx><trk><trkseg>${points}</trkseg></trk></gpx>`

test('a route is read from GeoJSON and from GPX, and keeps what a map can show', async () => {
  expect((await upload(JSON.stringify(LINE))).body.data).toEqual({ lines: 1, points: 2 })
  expect(await read('/route')).toMatchObject({
    features: [
      {
        geometry: {
          type: 'LineString',
          coordinates: [
            [120.5, 24],
            [120.6, 24.1],
          ],
        },
      },
    ],
  })
  const way = '<trkpt lat="24" lon="120.5"><ele>3</ele></trkpt><trkpt lat="24.2" lon="120.6"/>'
  expect((await upload(gpx(way))).body.data).toEqual({ lines: 1, points: 2 })
  nowMs += LATER_MS
  expect(await read('/route')).toMatchObject({
    features: [
      {
        geometry: {
          coordinates: [
            [120.5, 24],
            [120.6, 24.2],
          ],
        },
      },
    ],
  })
  expect((await service.call('/admin/route', { body: LINE, tier: 2 })).status).toBe(200)
  expect((await service.call('/admin/route', { method: 'DELETE', tier: 2 })).status).toBe(200)
  expect((await service.call('/admin/route', { method: 'DELETE', tier: 2 })).status).toBe(404)
})

test.each([
  ['not a file', 'The file is neither GeoJSON nor GPX'],
  ['{"type":"Point","coordinates":[120,24]}', 'The file has no line'],
  [gpx('<trkpt lat="24" lon="120.5"/>'), 'The file has no line'],
  [gpx('<trkpt lat="x" lon="120.5"/><trkpt lat="24" lon="120.5"/>'), 'The file has a point that is no place'],
  [
    gpx('<trkpt lat="95" lon="120.5"/><trkpt lat="24" lon="120.5"/>'),
    'The file has a point that is no place',
  ],
  ['<gpx><trk>', 'The file is no GPX that can be read'],
  ['<!DOCTYPE x [<!ENTITY a "b">]><gpx>&a;</gpx>', 'The file is no GPX that can be read'],
])('%j is refused with a sentence, and the route stays', async (file, sentence) => {
  await upload(JSON.stringify(LINE))
  const { status, body } = await upload(file)
  expect([status, String(body.error).slice(0, sentence.length)]).toEqual([400, sentence])
  nowMs += LATER_MS
  expect(((await read('/route')).features as unknown[]).length).toBe(1)
})

test('the privacy notice is there in both languages, with the version that a consent records', async () => {
  expect((await read('/consent')).data).toEqual({
    version: '1',
    zh: expect.any(String),
    en: expect.any(String),
  })
})
