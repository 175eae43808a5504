import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { Inbound } from './inbound.ts'
import { INBOX, REDIS_DEADLINE_MS, seenKey } from './keys.ts'

/** LINE redelivers for hours at the most; three days are its own advice for telling doubles. */
const SEEN_MS = 72 * 3_600_000

/** Each event with its id, or neither: an event whose id is there already is passed over. */
const SCRIPT = `
local added = {}
for i = 2, #KEYS do
  if redis.call('SET', KEYS[i], '1', 'NX', 'PX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', 'event', ARGV[i])
    table.insert(added, i - 2)
  end
end
return added`

/**
 * Puts events into the inbox, each once within 72 hours however often LINE tells of it; those that were new.
 * @throws StoreUnavailable: told again, nothing is lost and nothing doubled
 */
export async function appendToInbox(redis: Redis, events: readonly Inbound[]): Promise<Inbound[]> {
  if (events.length === 0) return []
  try {
    const added: unknown = await withDeadline(
      redis.eval(SCRIPT, {
        keys: [INBOX, ...events.map(({ id }) => seenKey(id))],
        arguments: [String(SEEN_MS), ...events.map((event) => JSON.stringify(event))],
      }),
      { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
    )
    const indexes = new Set(Array.isArray(added) ? added.map(Number) : [])
    return events.filter((_, index) => indexes.has(index))
  } catch (error) {
    throw new StoreUnavailable('inbox', error)
  }
}
