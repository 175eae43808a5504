import { entriesOf } from '@palanquin/events/stream'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { actionOf } from '../conversation/vocabulary/postback.ts'
import { readInbound } from './inbound.ts'
import { DEAD, ERASE_DEADLINE_MS, helpedKey, INBOX } from './keys.ts'

const PAGE_ENTRIES = 200

/**
 * Takes what a person wrote out of the inbox, and what could not be handled of it; how many there were. Their own yes to
 * the erasure stays until it is carried out: without it a crash in the middle would leave half of it undone.
 * @throws StoreUnavailable: told again, it finishes
 */
export async function eraseFromInbox(redis: Redis, userId: string): Promise<number> {
  const soon = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs: ERASE_DEADLINE_MS })
  let erased = 0
  try {
    for (const key of [INBOX, DEAD]) {
      let from = '-'
      for (;;) {
        const page = entriesOf(await soon(redis.xRange(key, from, '+', { COUNT: PAGE_ENTRIES })))
        const theirs = page.filter(({ fields }) => isOf(userId, fields?.event, key === DEAD))
        if (theirs.length > 0)
          erased += await soon(
            redis.xDel(
              key,
              theirs.map(({ entryId }) => entryId),
            ),
          )
        const last = page.at(-1)
        if (!last || page.length < PAGE_ENTRIES) break
        from = `(${last.entryId}`
      }
    }
    await soon(redis.del(helpedKey(userId)))
  } catch (error) {
    throw new StoreUnavailable('inbox', error)
  }
  return erased
}

/** Whether an event, as the inbox has it, is one that an erasure takes. */
export function isOf(userId: string, text: string | undefined, dead: boolean): boolean {
  const event = readInbound(text)
  if (!event) return text?.includes(`"${userId}"`) ?? false
  if (event.userId !== userId) return false
  return dead || !(event.what.type === 'postback' && actionOf(event.what.data)?.action === 'erase-yes')
}
