import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type CardHarness, cardHarness } from '../../test/card-harness.ts'
import { startThread } from '../worker-pool/worker.ts'
import type { CardWorker } from './render/card-pool.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const quick = (): CardWorker => startThread(new URL('../../test/faulty-card-worker.ts', import.meta.url))
const AT = '2026-05-09T12:00:00.000Z'

let harness: CardHarness
beforeEach(async () => {
  harness = await cardHarness({ startThread: quick })
})
afterEach(() => harness.close())

const end = () =>
  ({ id: randomUUID(), type: 'activity.ended', at: AT, data: { at: AT, by: 'owner' } }) as const
const unlocked = (userId: string) =>
  ({ id: randomUUID(), type: 'achievement.unlocked', at: AT, data: { userId, at: AT } }) as const
const left = () => harness.cards.orders.count()
const carryOut = (from: CardHarness | ReturnType<CardHarness['another']> = harness) =>
  from.cards.jobs[0]?.run()

/** Participants with an unlocked achievement, and as many without. */
async function addParticipants(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    harness.profiles.set(`unlocked-${i}`, { unlocked: true, checkins: i + 3 })
    harness.profiles.set(`other-${i}`, {})
  }
  await harness.sql`INSERT INTO engagement.participants (user_id, achievement_unlocked_at)
    SELECT 'unlocked-' || i, now() FROM generate_series(0, ${count - 1}) AS i
    UNION ALL SELECT 'other-' || i, NULL FROM generate_series(0, ${count - 1}) AS i`
}

test('at the end the cards of all unlocked participants are rendered, and no others', async () => {
  await addParticipants(12)
  await harness.cards.handlers['activity.ended'](end())
  expect(await left()).toBe(12)
  await carryOut()
  expect(await left()).toBe(0)
  expect(await harness.rendered()).toBe(12)
  const made = await harness.sql`SELECT user_id FROM media.cards`
  expect(made.every(({ user_id }) => user_id.startsWith('unlocked-'))).toBe(true)
})

test('a card is not rendered again when the event is delivered again, nor when it is current', async () => {
  await addParticipants(5)
  await harness.call('/og/unlocked-0.png')
  const event = end()
  await harness.cards.handlers['activity.ended'](event)
  await carryOut()
  await harness.cards.handlers['activity.ended'](event)
  expect(await left()).toBe(0)
  await harness.cards.handlers['activity.ended'](end())
  await carryOut()
  expect(await harness.rendered()).toBe(5)
})

test('orders of a crashed process are carried out by another once their lease expires', async () => {
  await addParticipants(6)
  await harness.cards.handlers['activity.ended'](end())
  expect((await harness.cards.orders.claim(2)).length).toBe(2) // and then it crashes
  const other = harness.another()
  await carryOut(other)
  expect([await left(), await other.rendered()]).toEqual([2, 4])
  await harness.sql`UPDATE media.card_orders SET leased_until = now() - interval '1 second'`
  await carryOut(other)
  expect([await left(), await other.rendered()]).toEqual([0, 6])
})

test('several processes share the cards', async () => {
  await addParticipants(30)
  const processes = [harness, harness.another(), harness.another()]
  await harness.cards.handlers['activity.ended'](end())
  await Promise.all(processes.map(carryOut))
  const rendered = await Promise.all(processes.map((process) => process.rendered()))
  expect(rendered.reduce((sum, count) => sum + count)).toBe(30)
  expect(await left()).toBe(0)
})

test('an unlocked achievement orders one card; an unknown participant none', async () => {
  harness.profiles.set('lucky', { unlocked: true })
  await harness.cards.handlers['achievement.unlocked'](unlocked('lucky'))
  await harness.cards.handlers['achievement.unlocked'](unlocked('unknown'))
  await carryOut()
  expect([await left(), await harness.rendered()]).toEqual([0, 1])
})

test('what was unlocked before an erasure orders no card after it', async () => {
  await harness.sql`INSERT INTO tracking.erasures (mark, shard, at)
    VALUES (${erasureTokens('pseudonym-secret-of-the-tests')('gone')}, 0, ${new Date(AT)})`
  await harness.cards.handlers['achievement.unlocked'](unlocked('gone'))
  expect(await left()).toBe(0)
})

test('while engagement is away orders wait, and are carried out later', async () => {
  await addParticipants(3)
  await harness.cards.handlers['activity.ended'](end())
  harness.engagement.away = true
  await carryOut()
  expect([await left(), await harness.rendered()]).toEqual([3, 0])
  harness.engagement.away = false
  await until(
    async () => {
      await harness.sql`UPDATE media.card_orders SET leased_until = '-infinity'`
      await carryOut()
      return (await left()) === 0
    },
    { what: 'the cards that waited' },
  )
  expect(await harness.rendered()).toBe(3)
})
