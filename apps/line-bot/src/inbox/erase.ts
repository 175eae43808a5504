import { EVENT_FIELD, entriesIn } from '@palanquin/events/ordered/queue'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { actionOf } from '../conversation/vocabulary/postback.ts'
import { ERASE_DEADLINE_MS } from '../redis-deadlines.ts'
import { readInbound, type What } from './inbound.ts'
import { INBOX } from './queue.ts'

/** Deletes what a user wrote but for the confirmation of the erasure itself; how many. @throws StoreUnavailable */
export async function eraseFromInbox(redis: Redis, userId: string): Promise<number> {
  let erased = 0
  try {
    for (const stream of [INBOX.stream, INBOX.deadLetters])
      for await (const page of entriesIn(redis, stream, ERASE_DEADLINE_MS)) {
        const isDead = stream === INBOX.deadLetters
        const theirs = page.filter(({ fields }) => isErasable(userId, fields?.[EVENT_FIELD], isDead))
        if (theirs.length === 0) continue
        const ids = theirs.map(({ entryId }) => entryId)
        erased += await withDeadline(redis.xDel(stream, ids), {
          what: 'Redis',
          deadlineMs: ERASE_DEADLINE_MS,
        })
      }
  } catch (error) {
    throw new StoreUnavailable('inbox', error)
  }
  return erased
}

/** Whether an erasure of the user deletes an event, given as the text in the inbox. */
export function isErasable(userId: string, text: string | undefined, isDead: boolean): boolean {
  const event = readInbound(text)
  if (!event) return text?.includes(`"${userId}"`) ?? false
  if (event.userId !== userId) return false
  return isDead || !isErasure(event.what)
}

/** Whether an event confirms an erasure. */
export const isErasure = (what: What): boolean =>
  what.type === 'postback' && actionOf(what.data)?.action === 'erase-yes'
