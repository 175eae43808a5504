import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { DomainEvent, EventType } from '@palanquin/domain/events'
import { handlerOf } from '@palanquin/events/delivery'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type TestPush, testPush } from '../../test/push-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let harness: TestPush
beforeAll(async () => {
  harness = await testPush()
})
afterAll(() => harness.close())
beforeEach(async () => {
  harness.stub.control.deliveries.clear()
  await harness.db.query("UPDATE engagement.activity SET status = 'active', outcome = NULL")
})

const AT = '2026-05-01T15:00:00.000Z'
const deliver = async <T extends EventType>(event: DomainEvent<T>): Promise<void> => {
  await handlerOf(harness.push.handlers, event)?.()
}
const changed = (status: 'paused' | 'active' | 'ended') =>
  ({
    id: randomUUID(),
    type: 'activity.changed',
    at: AT,
    data: { status, since: AT, by: 'manager' },
  }) as const
const unlocked = (userId: string, at = AT) =>
  ({ id: randomUUID(), type: 'achievement.unlocked', at, data: { userId, at } }) as const
const ended = () =>
  ({ id: randomUUID(), type: 'activity.ended', at: AT, data: { at: AT, by: 'owner' } }) as const

const received = (userId: string) =>
  harness.stub.control.deliveries.received(userId).map(({ message }) => message)
/** Every push that was made so far is finished. */
const quiet = () =>
  until(
    async () =>
      (await harness.db.query('SELECT 1 AS there FROM line.pushes WHERE finished_at IS NULL LIMIT 1'))
        .length === 0,
    { what: 'the end of all pushes' },
  )
const participant = (userId: string, { language = 'zh-TW', unlockedAt = '', status = 'active' } = {}) =>
  harness.db.query(
    `INSERT INTO engagement.participants (user_id, language, achievement_unlocked_at, status)
     VALUES ($1, $2, nullif($3, '')::timestamptz, $4)`,
    [userId, language, unlockedAt, status],
  )

test('volunteers are notified of a pause and of its end once each, in their language, even with notifications stopped', async () => {
  const [chinese = '', english = '', stopped = ''] = await harness.friends(3)
  await participant(english, { language: 'en' })
  await harness.db.query('UPDATE line.users SET notifications = false WHERE user_id = $1', [chinese])
  await harness.db.query(
    "INSERT INTO engagement.roles (user_id, role, given_by) SELECT unnest($1::text[]), 'volunteer', 'owner'",
    [[chinese, english]],
  )
  const pause = changed('paused')
  await deliver(pause)
  await deliver(pause)
  await deliver(changed('active'))
  await deliver(changed('ended'))
  await quiet()
  const texts = (userId: string) => received(userId).map((message) => ('text' in message ? message.text : ''))
  expect(texts(chinese).sort()).toEqual([
    expect.stringContaining('已暫停\n時間：2026-05-01 23:00'),
    expect.stringContaining('已恢復\n時間：2026-05-01 23:00'),
  ])
  expect(texts(english).sort()).toEqual([
    expect.stringContaining('is paused\nSince 2026-05-01 23:00'),
    expect.stringContaining('goes on'),
  ])
  expect(received(stopped)).toEqual([])
})

test('at the end users with the achievement get their figures and card, all others a summary, once each', async () => {
  const [done = '', english = '', other = '', withdrawn = ''] = await harness.friends(4)
  await participant(done, { unlockedAt: AT })
  await participant(english, { language: 'en' })
  await participant(withdrawn, { unlockedAt: AT, status: 'withdrawn' })
  await harness.db.query(
    `UPDATE engagement.activity SET status = 'ended', outcome = '{"participants": 1234, "checkins": 5678, "distanceKm": 91011.5, "unlocked": 2}'`,
  )
  const end = ended()
  await Promise.all([deliver(end), deliver(end)])
  await deliver(end)
  await quiet()
  const card = expect.stringMatching(/^https:\/\/walk\.example\/c\/share-id-of-a-card\.png\?v=[0-9a-f]{8}$/)
  expect(received(done)).toEqual([
    { type: 'text', text: expect.stringContaining('里程：52.3 公里（步行 50.0 公里）\n打卡：12 次') },
    { type: 'image', originalContentUrl: card, previewImageUrl: card },
  ])
  expect(received(other)).toEqual([
    { type: 'text', text: expect.stringContaining('1,234 位香客同行，打卡 5,678 次') },
  ])
  expect(received(english)).toEqual([{ type: 'text', text: expect.stringContaining('91,012 km altogether') }])
  expect(received(withdrawn)).toEqual([])

  // Unlocked by the final flush and consumed late; and by a phone number given after the end.
  await deliver(unlocked(done))
  await deliver(unlocked(other, new Date(Date.now() + 60_000).toISOString()))
  await quiet()
  expect(received(other)).toHaveLength(3)
  expect(received(done)).toHaveLength(2)
})

test('a user who unlocks the achievement before the end is congratulated once, with the card', async () => {
  const [one = ''] = await harness.friends(1)
  const event = unlocked(one)
  await deliver(event)
  await deliver(event)
  await deliver(unlocked('no-line-id'))
  await quiet()
  expect(received(one)).toEqual([
    { type: 'text', text: expect.stringContaining('林媽媽，恭喜解鎖成就卡！') },
    expect.objectContaining({ type: 'image' }),
  ])
})

test('an achievement that the final flush unlocks is in the final summary alone', async () => {
  const [one = ''] = await harness.friends(1)
  await harness.db.query("DELETE FROM line.pushes WHERE personal = 'final-summary'")
  await harness.db.query("UPDATE engagement.activity SET status = 'ended'")
  await deliver(unlocked(one))
  await quiet()
  expect(received(one)).toEqual([])
})
