import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { LEVELS } from '@palanquin/domain/level'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService({ levelKm: 'walked' })
  for (const [i, { minKm, minCheckins }] of LEVELS.entries())
    await service.sql`
      INSERT INTO tracking.tracks (user_id, shard, version, walked_km, motorized_km, checkins, points, state, last_seen_at)
      VALUES (${`U${i}`}, 0, 1, ${minKm}, 250, ${minCheckins}, 1, '{}', now())`
})
afterAll(() => service.close())

test('with LEVEL_KM=walked motorized kilometres count for no level: in profile, list, filter and table', async () => {
  for (const [i, { level }] of LEVELS.entries()) {
    const userId = `U${i}`
    const profile = await service.data(`/user/${userId}`)
    expect(profile.level).toMatchObject({ level })
    expect(profile.distanceKm).toBe(Number(profile.walkedKm) + 250)
    const next = LEVELS[i + 1]
    const kmToGo = next ? next.minKm - Number(profile.walkedKm) : undefined
    expect(Object(profile.level).next?.kmToGo).toBe(kmToGo)
    const { items, total } = await service.data(`/admin/users?level=${level}`, { tier: 2 })
    expect([total, Object(items)[0].userId, Object(items)[0].level]).toEqual([1, userId, profile.level])
  }
  const table = await (await service.respond('/admin/users?format=csv&sort=name', { tier: 2 })).text()
  expect(table.split('\n').filter((line) => line.startsWith('U'))).toHaveLength(LEVELS.length)
})
