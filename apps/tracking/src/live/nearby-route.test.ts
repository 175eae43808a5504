import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { asGateway } from '../../test/bare-app.ts'
import { mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, checkin } = mapHarness()
const GATE = { lat: 24.5663, lng: 120.7081 }
type Nearby = { userIds: string[]; towns: unknown[] }
const nearby = async (body: object) => {
  const answer = await opened().map.app.handle(
    asGateway('/internal/nearby', { method: 'POST', body: JSON.stringify(body) }),
  )
  return { status: answer.status, body: (await answer.json()) as { data?: Nearby } }
}
const ask = async (places = [GATE], userIds = ['near', 'far', 'unknown']): Promise<Nearby> => {
  const { status, body } = await nearby({ userIds, places, withinKm: 5 })
  expect(status).toBe(200)
  return body.data ?? { userIds: [], towns: [] }
}

test('those whose last position is within the distance of a place, and the town of each place', async () => {
  await checkin('near', GATE.lat + 0.04, GATE.lng) // 4.4 km
  await checkin('far', GATE.lat + 0.18, GATE.lng) // 20 km
  await until(async () => (await ask([{ lat: 24.74, lng: 120.7081 }])).userIds.includes('far'), {
    what: 'both positions',
  })
  expect(await ask()).toEqual({
    userIds: ['near'],
    towns: [
      {
        county: { zh: expect.any(String), en: expect.any(String) },
        town: { zh: '通霄鎮', en: expect.any(String) },
      },
    ],
  })
  const both = await ask([GATE, { lat: GATE.lat + 0.18, lng: GATE.lng }])
  expect(both.userIds).toEqual(['near', 'far'])
  await checkin('near', GATE.lat + 0.2, GATE.lng)
  await until(async () => (await ask()).userIds.length === 0, { what: 'the move' })
  expect((await ask([{ lat: 0, lng: 0 }])).towns).toEqual([null])
})

test('a place is wanted, and few of them', async () => {
  for (const places of [[], Array.from({ length: 5 }, () => GATE)])
    expect((await nearby({ userIds: [], places, withinKm: 5 })).status).toBe(400)
})
