import { runDeadLettersCommand } from '@palanquin/events/dead-letters-command'
import { orderedDeadLetters } from '@palanquin/events/ordered/dead-letters'
import type { Redis } from '@palanquin/service/redis'
import { INBOX } from './queue.ts'

const USAGE = `Dead messages: messages to the bot that it could not handle.
  list             one line each
  show <id>        everything about one, personal data included
  requeue <id>     puts it back into the inbox; "requeue all" puts all back
  discard <id>     throws it away for good`

/** Distinguishes a dead message from a dead letter of the event bus, whose id looks the same. */
const PREFIX = 'chat:'

const letters = (redis: Redis) => orderedDeadLetters(redis, INBOX)
const entryIdOf = (id: string): string => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id)

runDeadLettersCommand({
  called: ['dead message of the chat', 'dead messages of the chat'],
  usage: USAGE,
  page: async (redis, after) => {
    const { letters: found, next } = await letters(redis).list(after)
    return {
      letters: found.map(({ entryId, ...letter }) => ({ id: `${PREFIX}${entryId}`, ...letter })),
      next,
    }
  },
  idOf: ({ id }) => id,
  lineOf: ({ id, failedAt, what, reason }) =>
    [id, failedAt, what ?? 'unreadable', reason.replaceAll('\n', ' ')].join('  '),
  requeue: (redis, id) => letters(redis).requeue(entryIdOf(id)),
  discard: (redis, id) => letters(redis).discard(entryIdOf(id)),
})
