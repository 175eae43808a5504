import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connectDatabase, type Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import { isEvent } from '@palanquin/events/stream'
import { receiptsUnder } from '@palanquin/service/erasure-token'
import { createLog } from '@palanquin/service/log'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { PSEUDONYM_SECRET, startTestService, type TestService } from '../../test/service.ts'
import { ANSWERS } from '../../test/survey.ts'
import { storeCheckins } from '../../test/track.ts'
import { handlersOf } from '../handlers.ts'
import { participantStore } from '../participants/store.ts'
import { achievements } from './unlock.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** The service, and two more copies of its consumer with connections of their own. */
let service: TestService
const copies: Database[] = []
beforeAll(async () => {
  service = await startTestService()
  const log = createLog({ service: 'engagement', level: 'silent' })
  for (let i = 0; i < 2; i++)
    copies.push(
      connectDatabase({
        url: service.databaseUrl,
        name: `copy-${i}`,
        log,
        max: 2,
        deadlineMs: TEST_TIMEOUT_MS,
      }),
    )
})
afterAll(async () => {
  for (const copy of copies) await copy.close()
  await service.close()
})

const unlocksOf = (userId: string) => service.sql`
  SELECT id, type, data, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
  FROM engagement.outbox WHERE type = 'achievement.unlocked' AND data->>'userId' = ${userId}`

const submit = (userId: string) => service.data('/submit', { body: { userId, answers: ANSWERS } })
const phone = (userId: string, phone: string | null = '0912345678') =>
  service.data('/user/phone', { body: { userId, phone } })

const advanced = (checkins: number, ...userIds: string[]): DomainEvent<'track.advanced'> => ({
  id: randomUUID(),
  type: 'track.advanced',
  at: '2026-05-01T02:00:00.000Z',
  data: {
    shard: 0,
    participants: userIds.map((userId) => ({
      userId,
      points: checkins,
      checkins,
      walkedKm: 0,
      motorizedKm: 0,
      lastRecordedAt: null,
    })),
  },
})
const changed = (userId: string): DomainEvent<'participant.changed'> => ({
  id: randomUUID(),
  type: 'participant.changed',
  at: '2026-05-01T02:00:00.000Z',
  data: { userId, status: 'active', consent: false, displayName: null, language: 'zh-TW' },
})

/** What each copy of the consumer does with an event. */
const consumed = async (event: DomainEvent<'track.advanced'> | DomainEvent<'participant.changed'>) => {
  await Promise.all(
    copies.map(async (db) => {
      const handlers = handlersOf({ db, achievements: achievements(db), cache: { drop: async () => {} } })
      if (event.type === 'track.advanced') await handlers['track.advanced']?.(event)
      else await handlers['participant.changed']?.(event)
    }),
  )
}
/** A flush that stores a third check-in, and the event that every copy receives. */
const flush = async (userId: string) => {
  await storeCheckins(service, userId, 3)
  await consumed(advanced(3, userId))
}

const STEPS = { flush, submit, phone }
const ORDERS = [
  ['flush', 'submit', 'phone'],
  ['flush', 'phone', 'submit'],
  ['submit', 'flush', 'phone'],
  ['submit', 'phone', 'flush'],
  ['phone', 'flush', 'submit'],
  ['phone', 'submit', 'flush'],
] as const

for (const order of ORDERS)
  test(`in the order ${order.join(', ')} the last one unlocks, with one event`, async () => {
    const userId = order.join('-')
    for (const [index, step] of order.entries()) {
      expect(await unlocksOf(userId)).toHaveLength(0)
      await STEPS[step](userId)
      expect(await service.data(`/user/${userId}`)).toMatchObject({ achievement: { unlocked: index === 2 } })
    }
    const [event] = await unlocksOf(userId)
    expect(isEvent({ ...event })).toBe(true)
    // Repeating everything emits nothing more.
    for (const step of order) await STEPS[step](userId)
    await consumed(changed(userId))
    expect(await unlocksOf(userId)).toHaveLength(1)
  })

test('two stored check-ins do not unlock, the third does', async () => {
  const userId = 'two'
  await submit(userId)
  await phone(userId)
  await storeCheckins(service, userId, 2)
  await consumed(advanced(2, userId))
  expect(await unlocksOf(userId)).toHaveLength(0)
  await flush(userId)
  expect(await unlocksOf(userId)).toHaveLength(1)
})

test('removing the phone number locks the profile again, and a new one emits no second event', async () => {
  const userId = 'removed'
  for (const step of [flush, submit, phone]) await step(userId)
  await phone(userId, null)
  expect(await service.data(`/user/${userId}`)).toMatchObject({
    achievement: { unlocked: false, missing: ['phone'] },
  })
  await phone(userId)
  await consumed(changed(userId))
  expect(await service.data(`/user/${userId}`)).toMatchObject({ achievement: { unlocked: true } })
  expect(await unlocksOf(userId)).toHaveLength(1)
})

test('a withdrawn participant unlocks too', async () => {
  const userId = 'withdrawn'
  await flush(userId)
  await service.data('/participant-status', { body: { userId, status: 'withdrawn' } })
  await submit(userId)
  await phone(userId)
  expect(await unlocksOf(userId)).toHaveLength(1)
})

test('when a process dies between the last write and the check, the event of the write unlocks', async () => {
  const userId = 'died'
  await storeCheckins(service, userId, 3)
  await submit(userId)
  await participantStore(service.db).setPhone(
    { userId, receipt: receiptsUnder(PSEUDONYM_SECRET)(userId, Date.now()) },
    '+886912345678',
  )
  expect(await unlocksOf(userId)).toHaveLength(0)
  const [written] = await service.sql`
    SELECT id, type, data FROM engagement.outbox WHERE data->>'userId' = ${userId} ORDER BY seq DESC LIMIT 1`
  expect(written?.type).toBe('participant.changed')
  await consumed(changed(userId))
  expect(await unlocksOf(userId)).toHaveLength(1)
})

test('a concurrent flush, survey and phone number unlock with one event', async () => {
  const random = seededRandom(7)
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const userId = `concurrent-${i}`
      await Promise.all(
        random.shuffle([flush, submit, phone]).map(async (step) => {
          await step(userId)
          // As the relay delivers it: the event of each write, after the write.
          await consumed(changed(userId))
        }),
      )
    }),
  )
  const published = await service.sql`
    SELECT data->>'userId' AS user_id FROM engagement.outbox
    WHERE type = 'achievement.unlocked' AND data->>'userId' LIKE 'concurrent-%'`
  expect(published).toHaveLength(60)
  expect(new Set(published.map(({ user_id }) => user_id)).size).toBe(60)
})

test('events of the same hundreds of participants in any order, in several copies, neither deadlock nor emit twice', async () => {
  const userIds = Array.from({ length: 300 }, (_, i) => `user-${String(i).padStart(3, '0')}`)
  await service.sql`
    INSERT INTO engagement.participants (user_id, phone, survey_completed_at)
    SELECT u, '+886912345678', now() FROM unnest(${userIds}::text[]) AS u`
  for (const userId of userIds) await storeCheckins(service, userId, 3)
  const random = seededRandom(8)
  await Promise.all([
    ...Array.from({ length: 10 }, () => consumed(advanced(3, ...random.shuffle(userIds)))),
    service.achievements.sweep(),
  ])
  const [published] = await service.sql`
    SELECT count(*)::int AS events, count(DISTINCT data->>'userId')::int AS participants
    FROM engagement.outbox WHERE type = 'achievement.unlocked' AND data->>'userId' LIKE 'user-%'`
  expect(published).toEqual({ events: 300, participants: 300 })
})
