import { discardDeadLetter, listDeadLetters, requeueDeadLetter } from './dead-letters.ts'
import { runDeadLettersCommand } from './dead-letters-command.ts'

const USAGE = `Dead letters: events that a consumer could not take in.
  list             one line each
  show <id>        everything about one, personal data included
  requeue <id>     puts it back for its group; "requeue all" puts all back
  discard <id>     throws it away for good`

runDeadLettersCommand({
  called: ['dead letter', 'dead letters'],
  usage: USAGE,
  page: (redis, after) => listDeadLetters(redis, { after }),
  idOf: ({ letterId }) => letterId,
  lineOf: ({ letterId, failedAt, group, event, attempts, error }) =>
    [letterId, failedAt, group, event.type, event.id, `${attempts} tries`, error.replaceAll('\n', ' ')].join(
      '  ',
    ),
  requeue: requeueDeadLetter,
  discard: discardDeadLetter,
})
