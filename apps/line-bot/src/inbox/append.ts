import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/refusal'
import type { Redis } from '@palanquin/service/redis'
import type { Inbound } from './inbound.ts'
import { INBOX, REDIS_DEADLINE_MS, seenKey } from './keys.ts'

/** LINE redelivers for hours at the most; three days are its own advice for telling doubles. */
const SEEN_MS = 72 * 3_600_000

/** Each event with its id, or neither: an event whose id is there already is passed over. */
const SCRIPT = `
local added = 0
for i = 2, #KEYS do
  if redis.call('SET', KEYS[i], '1', 'NX', 'PX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', 'event', ARGV[i])
    added = added + 1
  end
end
return added`

/**
 * Puts events into the inbox, each once within 72 hours however often LINE tells of it; how many were new.
 * @throws StoreUnavailable: told again, nothing is lost and nothing doubled
 */
export async function appendToInbox(redis: Redis, events: readonly Inbound[]): Promise<number> {
  if (events.length === 0) return 0
  try {
    const added = await withDeadline(
      redis.eval(SCRIPT, {
        keys: [INBOX, ...events.map(({ id }) => seenKey(id))],
        arguments: [String(SEEN_MS), ...events.map((event) => JSON.stringify(event))],
      }),
      { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
    )
    return Number(added)
  } catch (error) {
    throw new StoreUnavailable('inbox', error)
  }
}
