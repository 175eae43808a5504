import { runDeadLettersCommand } from '@palanquin/events/dead-letters-command'
import { discardDeadLetter, listDeadLetters, requeueDeadLetter } from './dead-letters.ts'

const USAGE = `Dead messages: what people wrote to the bot and it could not handle.
  list             one line each
  show <id>        everything about one, personal data included
  requeue <id>     puts it back into the inbox; "requeue all" puts all back
  discard <id>     throws it away for good`

runDeadLettersCommand({
  called: ['dead message of the chat', 'dead messages of the chat'],
  usage: USAGE,
  page: listDeadLetters,
  idOf: ({ id }) => id,
  lineOf: ({ id, failedAt, what, reason }) =>
    [id, failedAt, what ?? 'unreadable', reason.replaceAll('\n', ' ')].join('  '),
  requeue: requeueDeadLetter,
  discard: discardDeadLetter,
})
