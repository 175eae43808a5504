import { expect, test } from 'bun:test'
import { json } from '../../test/gateway.ts'
import { COUNTED_TOGETHER, useGateway } from '../../test/use-gateway.ts'

/** No multiple of a wave: the last places are wanted by calls that go the fast path and by calls that do not, at once. */
const LIMIT = 45
const deployment = useGateway({ ...COUNTED_TOGETHER, env: { NEW_PARTICIPANT_LIMIT: String(LIMIT) } })

const checkin = async (userId: string): Promise<number> =>
  (await deployment.gateway.call('/api/event/checkin', json({ userId, lat: 24.1, lng: 120.6 }))).status
const wave = (name: string, people: number): Promise<number[]> =>
  Promise.all(Array.from({ length: people }, (_, at) => checkin(`${name}-${at}`)))

test('exactly as many new participants of an address come in as may, however many come at once, and known ones all', async () => {
  deployment.services.tracking.unregistered((userId) => userId.startsWith('new'))
  const statuses: number[] = []
  for (let at = 0; at < 6; at++) {
    statuses.push(...(await wave(`new${at}`, 10)))
    expect(await wave(`known${at}`, 10)).toEqual(Array.from({ length: 10 }, () => 200))
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT)
  expect(statuses.filter((status) => status === 429)).toHaveLength(60 - LIMIT)
  expect(deployment.services.tracking.asked()).toBeGreaterThan(0)
})
