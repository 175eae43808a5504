import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ACHIEVEMENT_CHECKINS_MIN, achievement } from '@palanquin/domain/achievement'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'
import { storeCheckins } from '../../test/track.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

test('the database unlocks exactly as the domain does, below, at and above the bound, with and without each condition', async () => {
  const all: { userId: string; unlocked: boolean }[] = []
  for (const checkins of [
    0,
    ACHIEVEMENT_CHECKINS_MIN - 1,
    ACHIEVEMENT_CHECKINS_MIN,
    ACHIEVEMENT_CHECKINS_MIN + 1,
  ])
    for (const surveyCompleted of [false, true])
      for (const hasPhone of [false, true])
        for (const status of ['active', 'completed', 'withdrawn']) {
          const userId = [checkins, surveyCompleted, hasPhone, status].join('-')
          await service.sql`INSERT INTO engagement.participants (user_id, status, phone, survey_completed_at)
            VALUES (${userId}, ${status}, ${hasPhone ? '+886912345678' : null}, ${surveyCompleted ? new Date() : null})`
          if (checkins > 0) await storeCheckins(service, userId, checkins)
          all.push({ userId, unlocked: achievement({ checkins, surveyCompleted, hasPhone }).unlocked })
        }
  const due = all.filter(({ unlocked }) => unlocked).map(({ userId }) => userId)
  expect(due).toHaveLength(6)
  const half = all.slice(0, all.length / 2).map(({ userId }) => userId)
  const named = await service.achievements.unlock(half)
  expect(named).toEqual(half.filter((userId) => due.includes(userId)).sort())
  expect(await service.achievements.sweep()).toBe(due.length - named.length)
  const published = await service.outbox()
  expect(published.map(({ type }) => type)).toEqual(due.map(() => 'achievement.unlocked'))
  expect(published.map(({ data }) => data.userId).sort()).toEqual(due.toSorted())
  expect(await service.achievements.sweep()).toBe(0)
})

test('a sweep of thousands unlocks each once, even when two sweeps run concurrently', async () => {
  const count = 2_500
  await service.sql`
    INSERT INTO engagement.participants (user_id, phone, survey_completed_at)
    SELECT 'many-' || i, '+886912345678', now() FROM generate_series(1, ${count}::int) AS i`
  await service.sql`
    INSERT INTO tracking.tracks (user_id, shard, version, checkins, points, state, last_seen_at)
    SELECT 'many-' || i, 0, 1, 3, 3, '{}', now() FROM generate_series(1, ${count}::int) AS i`
  const sweeps = await Promise.all([service.achievements.sweep(), service.achievements.sweep()])
  expect(sweeps[0] + sweeps[1] + (await service.achievements.sweep())).toBe(count)
  const [published] = await service.sql`
    SELECT count(*)::int AS events, count(DISTINCT data->>'userId')::int AS participants
    FROM engagement.outbox WHERE data->>'userId' LIKE 'many-%'`
  expect(published).toEqual({ events: count, participants: count })
})
