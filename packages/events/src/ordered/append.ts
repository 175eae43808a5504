import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { EVENT_FIELD, type OrderedQueue, QUEUE_DEADLINE_MS } from './queue.ts'

/** How long the id of an event is remembered: three days is what platforms that redeliver advise. */
const SEEN_MS = 72 * 3_600_000

/** Each event with its id, or neither: an event whose id is there already is passed over. */
const SCRIPT = `
local added = {}
for i = 2, #KEYS do
  if redis.call('SET', KEYS[i], '1', 'NX', 'PX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', '${EVENT_FIELD}', ARGV[i])
    table.insert(added, i - 2)
  end
end
return added`

/** Appends events, each once within 72 hours; returns the new ones. @throws StoreUnavailable: idempotent */
export async function appendOnce<E>(
  redis: Redis,
  queue: OrderedQueue<E>,
  events: readonly E[],
): Promise<E[]> {
  if (events.length === 0) return []
  try {
    const added: unknown = await withDeadline(
      redis.eval(SCRIPT, {
        keys: [queue.stream, ...events.map((event) => queue.seenKey(queue.idOf(event)))],
        arguments: [String(SEEN_MS), ...events.map((event) => JSON.stringify(event))],
      }),
      { what: 'Redis', deadlineMs: QUEUE_DEADLINE_MS },
    )
    const indexes = new Set(Array.isArray(added) ? added.map(Number) : [])
    return events.filter((_, index) => indexes.has(index))
  } catch (error) {
    throw new StoreUnavailable(queue.name, error)
  }
}
