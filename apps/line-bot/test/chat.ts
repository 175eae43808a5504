import type { WebhookEvent } from '@palanquin/line-simulator/events'
import { until } from '@palanquin/testing/until'
import { INBOX } from '../src/inbox/queue.ts'
import { startBot } from './bot-harness.ts'

/** The bot with people who talk to it. */
export async function chatStand(options?: Parameters<typeof startBot>[0]) {
  const stand = await startBot(options)
  const { control } = stand.line
  /** Everything that came in is done: nothing of it is left. */
  const settled = () =>
    until(async () => (await stand.redis.xLen(INBOX.stream)) === 0, { what: 'an empty inbox' })
  const received = ({ userId }: { userId: string }) =>
    control.deliveries.received(userId).map(({ message }) => message)
  return {
    ...stand,
    control,
    settled,
    /** What somebody, or a group, got of the bot. */
    received,
    /** Between two tests. */
    reset: async () => {
      await settled()
      stand.neighbours.reset()
      control.faults.clear()
    },
    /** A friend of the bot whom the house knows, who chose a language. */
    participant: async (language: 'zh-TW' | 'en' = 'zh-TW', facts: object = {}) => {
      const person = control.people.add({ language, displayName: language === 'en' ? 'Alice' : '林媽媽' })
      const { userId, displayName } = person
      stand.neighbours.know(userId, { language, ...facts })
      await stand.sql`INSERT INTO line.users (user_id) VALUES (${userId})`
      await stand.sql`INSERT INTO engagement.participants (user_id, display_name, language)
        VALUES (${userId}, ${displayName}, ${language})`
      return { person, userId, ...control.from(userId) }
    },
    /** Sends an event and gives what the bot answered to it. */
    tell: async (to: { userId: string }, event: WebhookEvent) => {
      const before = received(to).length
      const { ok } = await control.send(event)
      if (!ok) throw new Error('the webhook was not taken')
      await settled()
      return received(to).slice(before)
    },
    userRow: async (userId: string) =>
      (await stand.sql`SELECT * FROM line.users WHERE user_id = ${userId}`)[0] ?? null,
  }
}

export type ChatStand = Awaited<ReturnType<typeof chatStand>>

/** Everything in some messages, to look for words. */
export const allOf = (messages: readonly object[]): string => JSON.stringify(messages)
