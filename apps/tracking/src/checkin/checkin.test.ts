import { afterAll, beforeAll, expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking } from '../../test/harness.ts'

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

test('a check-in is answered 202 and is in PostgreSQL, counted, after a flush', async () => {
  const answer = await service.post('/checkin', { userId: 'walker', lat: 24.1, lng: 120.6, note: 'here' })
  expect(answer.status).toBe(202)
  await until(() => service.journal.stats().waiting === 0, { what: 'Redis has the check-in' })
  const flushed = await service.post('/internal/flush')
  expect(flushed.body.data).toMatchObject({ flushed: 1 })
  const rows = await given.sql`SELECT user_id, kind, lat, lng, source, note FROM tracking.points`
  expect([...rows]).toEqual([
    { user_id: 'walker', kind: 0, lat: 24.1, lng: 120.6, source: 'checkin', note: 'here' },
  ])
  const [track] = await given.sql`SELECT points, checkins, walked_km, needs_rebuild FROM tracking.tracks`
  expect(track).toEqual({ points: 1, checkins: 1, walked_km: 0, needs_rebuild: false })
})
