import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { asGateway } from '../../test/bare-app.ts'
import { mapOf, untilFlushed, untilTaken } from '../../test/harness.ts'
import { mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, checkin } = mapHarness({
  prepare: async ({ sql }) => {
    // No consent: the public does not see it, the family does.
    await sql`INSERT INTO engagement.participants (user_id, consent) VALUES ('pilgrim', false)`
  },
})
const position = async (from = opened().map) => {
  const answer = await from.app.handle(asGateway('/internal/position/pilgrim'))
  return { status: answer.status, data: ((await answer.json()) as { data?: Record<string, unknown> }).data }
}

test('a position has its place, age and the battery that the phone said last', async () => {
  expect((await position()).status).toBe(404)
  await checkin('pilgrim', 24.5663, 120.7081, { accuracy: 8, battery: 61.6 })
  await until(async () => (await position()).status === 200, { what: 'the position' })
  expect((await position()).data).toEqual({
    lat: 24.5663,
    lng: 120.7081,
    accuracyM: 8,
    recordedAt: expect.any(String),
    battery: 62,
    place: {
      county: { zh: expect.any(String), en: expect.any(String) },
      town: { zh: '通霄鎮', en: expect.any(String) },
    },
  })
  // A point without it leaves what is known; a negative one is unknown.
  await checkin('pilgrim', 24.57, 120.7081, { battery: -1 })
  await until(async () => (await position()).data?.lat === 24.57, { what: 'the next position' })
  expect((await position()).data?.battery).toBe(62)
  const refused = await checkin('pilgrim', 24.58, 120.7, { battery: 101 })
  expect(refused.status).toBe(400)
})

test('of several participants those are located whose position is known, with what is in memory', async () => {
  await checkin('second', 24.5663, 120.7081, { battery: 30 })
  await checkin('third', 0, 0)
  const userIds = ['second', 'unknown', 'third']
  const located = async (withPlaces = true) => {
    const body = JSON.stringify({ userIds, withPlaces })
    const answer = await opened().map.app.handle(asGateway('/internal/positions', { method: 'POST', body }))
    return ((await answer.json()) as { data?: { positions: unknown[] } }).data?.positions ?? []
  }
  await until(async () => (await located()).length === 2, { what: 'both positions' })
  expect(await located()).toEqual([
    {
      userId: 'second',
      lat: 24.5663,
      lng: 120.7081,
      recordedAt: expect.any(String),
      battery: 30,
      place: { county: expect.anything(), town: { zh: '通霄鎮', en: expect.any(String) } },
    },
    { userId: 'third', lat: 0, lng: 0, recordedAt: expect.any(String), battery: null, place: null },
  ])
  expect(await located(false)).toMatchObject([{ place: null }, { place: null }])
})

test('the battery is stored with the point, and read from there by a process that starts later', async () => {
  const { service, given } = opened()
  const points = [{ lat: 24.6, lng: 120.7, recordedAt: Date.now(), battery: 40 }]
  const synced = await untilTaken(() => service.post('/track/sync', { userId: 'pilgrim', points }))
  expect(synced.status).toBe(200)
  await untilFlushed(service)
  const [row] =
    await given.sql`SELECT battery FROM tracking.points WHERE user_id = 'pilgrim' ORDER BY recorded_at DESC`
  expect(row?.battery).toBe(40)
  const later = await mapOf(given)
  await until(async () => (await position(later)).data?.battery === 40, { what: 'the stored battery' })
  await later.close()
})
