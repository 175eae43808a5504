import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { asGateway } from '../../test/bare-app.ts'
import { mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, checkin } = mapHarness()
const GATE = { lat: 24.5663, lng: 120.7081 }
const within = async (body: object) => {
  const answer = await opened().map.app.handle(
    asGateway('/internal/within', { method: 'POST', body: JSON.stringify(body) }),
  )
  return { status: answer.status, data: ((await answer.json()) as { data?: { userIds: string[] } }).data }
}

test('those whose last position is within a distance, in any direction and over the antimeridian', async () => {
  await checkin('north', GATE.lat + 0.04, GATE.lng) // 4.4 km
  await checkin('east', GATE.lat, GATE.lng + 0.04) // 4.0 km
  await checkin('dateline', 0, 179.99)
  const inside = async (body: object) => (await within(body)).data?.userIds.toSorted()
  await until(async () => (await inside({ lat: 0, lng: 180, km: 2 }))?.length === 1, { what: 'all three' })
  expect(await inside({ ...GATE, km: 5 })).toEqual(['east', 'north'])
  expect(await inside({ ...GATE, km: 4.2 })).toEqual(['east'])
  expect(await inside({ ...GATE, km: 3.9 })).toEqual([])
  expect(await inside({ lat: 0, lng: -179.99, km: 2.3 })).toEqual(['dateline'])
  for (const km of [0, -1, 1001]) expect((await within({ ...GATE, km })).status).toBe(400)
})
