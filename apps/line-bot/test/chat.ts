import type { WebhookEvent } from '@palanquin/line-simulator/events'
import { until } from '@palanquin/testing/until'
import { INBOX } from '../src/inbox/queue.ts'
import { startBot } from './bot-harness.ts'

/** The bot with users who write to it. */
export async function startChat(options?: Parameters<typeof startBot>[0]) {
  const bot = await startBot(options)
  const { control } = bot.line
  /** Everything that came in is done: nothing of it is left. */
  const settled = () =>
    until(async () => (await bot.redis.xLen(INBOX.stream)) === 0, { what: 'an empty inbox' })
  const received = ({ userId }: { userId: string }) =>
    control.deliveries.received(userId).map(({ message }) => message)
  return {
    ...bot,
    control,
    settled,
    /** What a user, or a group, got from the bot. */
    received,
    /** Between two tests. */
    reset: async () => {
      await settled()
      bot.services.reset()
      control.faults.clear()
    },
    /** A friend of the bot who is a participant and chose a language. */
    participant: async (language: 'zh-TW' | 'en' = 'zh-TW', facts: object = {}) => {
      const person = control.people.add({ language, displayName: language === 'en' ? 'Alice' : '林媽媽' })
      const { userId, displayName } = person
      bot.services.know(userId, { language, ...facts })
      await bot.sql`INSERT INTO line.users (user_id) VALUES (${userId})`
      await bot.sql`INSERT INTO engagement.participants (user_id, display_name, language)
        VALUES (${userId}, ${displayName}, ${language})`
      return { person, userId, ...control.from(userId) }
    },
    /** Sends an event and gives what the bot answered to it. */
    send: async (to: { userId: string }, event: WebhookEvent) => {
      const before = received(to).length
      await bot.deliver(event)
      await settled()
      return received(to).slice(before)
    },
    userRow: async (userId: string) =>
      (await bot.sql`SELECT * FROM line.users WHERE user_id = ${userId}`)[0] ?? null,
  }
}

export type TestChat = Awaited<ReturnType<typeof startChat>>

/** Everything in some messages, to look for words. */
export const allOf = (messages: readonly object[]): string => JSON.stringify(messages)
