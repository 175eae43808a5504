import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { DEAD_KEY, entriesOf, REDIS_DEADLINE_MS, STREAM_KEY } from './stream.ts'

const PAGE_MAX = 100

/** An event that a group could not take in, for a person to look at. */
export type DeadLetter = {
  /** Names the letter itself. */
  letterId: string
  group: string
  error: string
  attempts: number
  failedAt: string
  /** The event as it was in the stream: all text, possibly not a valid event. */
  event: { id: string; type: string; at: string; data: string }
}

/** Back into the stream with its id, for the one group that could not take it in (`only`). */
const REQUEUE_SCRIPT = `
local found = redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])
if #found == 0 then return 0 end
local letter = {}
for i = 1, #found[1][2], 2 do letter[found[1][2][i]] = found[1][2][i + 1] end
redis.call('XADD', KEYS[1], '*', 'id', letter.id or '', 'type', letter.type or '', 'at', letter.at or '',
  'data', letter.data or '', 'only', letter.group)
redis.call('XDEL', KEYS[2], ARGV[1])
return 1
`

/** One page of dead letters, oldest first; `next` is null at the end. */
export async function listDeadLetters(
  redis: Redis,
  { after = '', limit = PAGE_MAX }: { after?: string; limit?: number } = {},
): Promise<{ letters: DeadLetter[]; next: string | null }> {
  const reply = await soon(redis.xRange(DEAD_KEY, after === '' ? '-' : `(${after}`, '+', { COUNT: limit }))
  const letters = entriesOf(reply).map(({ entryId, fields }): DeadLetter => {
    const { group = '', error = '', attempts = '0', failedAt = '' } = fields ?? {}
    const { id = '', type = '', at = '', data = '' } = fields ?? {}
    return {
      letterId: entryId,
      group,
      error,
      attempts: Number(attempts),
      failedAt,
      event: { id, type, at, data },
    }
  })
  return { letters, next: letters.length < limit ? null : (letters.at(-1)?.letterId ?? null) }
}

/** Puts a letter back to be tried five more times by its group; false when there is no such letter. */
export async function requeueDeadLetter(redis: Redis, letterId: string): Promise<boolean> {
  return (
    (await soon(redis.eval(REQUEUE_SCRIPT, { keys: [STREAM_KEY, DEAD_KEY], arguments: [letterId] }))) === 1
  )
}

/** Throws a letter away for good; false when there is no such letter. */
export async function discardDeadLetter(redis: Redis, letterId: string): Promise<boolean> {
  return (await soon(redis.xDel(DEAD_KEY, letterId))) === 1
}

const soon = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })
