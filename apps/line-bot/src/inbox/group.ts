import { entriesOf } from '@palanquin/events/stream'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { DEAD, INBOX, REDIS_DEADLINE_MS } from './keys.ts'

export const GROUP = 'conversation'
export const BATCH_MAX = 64
/** Before every entry. */
export const BEGINNING = '0-0'
/** How long a blocking read waits: nothing interrupts it, so it bounds how long a stop takes. */
const BLOCK_MS = 1_000
/** Dead events wait for a person, but not for ever: they hold what people wrote. */
const DEAD_RETENTION_MS = 7 * 86_400_000
/** An entry that its consumer has not finished by then is another's; longer than an erasure may take. */
const CLAIM_IDLE_MS = 90_000

/** What is done is gone: the inbox holds what people wrote. */
const DONE_SCRIPT = `
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
return redis.call('XDEL', KEYS[1], ARGV[2])`

const DEAD_LETTER_SCRIPT = `
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if redis.call('XDEL', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', 'event', ARGV[3], 'reason', ARGV[4])
local oldestMs = tonumber(redis.call('TIME')[1]) * 1000 - tonumber(ARGV[5])
redis.call('XTRIM', KEYS[2], 'MINID', '~', string.format('%.0f', oldestMs))
return 1`

/** An entry; `deliveries`: how often it was taken in hand since its last try ended; who took it before may have died of it. */
export type InboxEntry = { entryId: string; event: string | undefined; deliveries: number }

/** What the conversation says to its inbox; every call has a deadline and throws when Redis is away. */
export function inboxGroup({
  redis,
  blocking,
  consumer,
  claimIdleMs = CLAIM_IDLE_MS,
}: {
  redis: Redis
  blocking: Redis
  consumer: string
  claimIdleMs?: number
}) {
  const soon = <T>(work: Promise<T>, deadlineMs = REDIS_DEADLINE_MS) =>
    withDeadline(work, { what: 'Redis', deadlineMs })
  const entries = (messages: unknown): InboxEntry[] =>
    entriesOf(messages).map(({ entryId, fields }) => ({ entryId, event: fields?.event, deliveries: 1 }))

  return {
    /** Makes the group, from the oldest event on that is still there. */
    ensure: async (): Promise<void> => {
      try {
        await soon(redis.xGroupCreate(INBOX, GROUP, '0', { MKSTREAM: true }))
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('BUSYGROUP'))) throw error
      }
    },
    /** Events that nobody has got yet; waits a second for some. */
    readNew: async (countMax: number): Promise<InboxEntry[]> => {
      const options = { COUNT: Math.min(countMax, BATCH_MAX), BLOCK: BLOCK_MS }
      const read = blocking.xReadGroup(GROUP, consumer, { key: INBOX, id: '>' }, options)
      return entries((await soon(read, BLOCK_MS + REDIS_DEADLINE_MS))?.[0]?.messages)
    },
    /**
     * Events behind `after` that this process got in an earlier life and did not finish, or another that is gone, but for
     * those that it has in hand; `last` is where to go on, undefined at the end.
     */
    readUnfinished: async (
      whose: 'own' | 'abandoned',
      after: string,
      isInHand: (entryId: string) => boolean,
    ): Promise<{ entries: InboxEntry[]; last: string | undefined }> => {
      const [filter, idleMs] = whose === 'own' ? [{ consumer }, 0] : [{ IDLE: claimIdleMs }, claimIdleMs]
      const waiting = await soon(redis.xPendingRange(INBOX, GROUP, `(${after}`, '+', BATCH_MAX, filter))
      const last = waiting.length === BATCH_MAX ? waiting.at(-1)?.id : undefined
      const ids = waiting.map(({ id }) => id).filter((id) => !isInHand(id))
      if (ids.length === 0) return { entries: [], last }
      const claimed = await soon(redis.xClaim(INBOX, GROUP, consumer, idleMs, ids))
      const deliveries = new Map(waiting.map(({ id, deliveriesCounter }) => [id, deliveriesCounter + 1]))
      return {
        entries: entries(claimed).map((entry) => ({
          ...entry,
          deliveries: deliveries.get(entry.entryId) ?? 1,
        })),
        last,
      }
    },
    /** Says that a try has ended and the event is still in hand: nobody else takes it, and its deliveries are none. */
    keep: async (entryId: string): Promise<void> => {
      await soon(redis.xClaimJustId(INBOX, GROUP, consumer, 0, entryId, { RETRYCOUNT: 0 }))
    },
    done: async (entryId: string): Promise<void> => {
      await soon(redis.eval(DONE_SCRIPT, { keys: [INBOX], arguments: [GROUP, entryId] }))
    },
    /** Hands an event over to a person. */
    deadLetter: async ({ entryId, event = '' }: InboxEntry, reason: string): Promise<void> => {
      const told = [GROUP, entryId, event, reason, String(DEAD_RETENTION_MS)]
      await soon(redis.eval(DEAD_LETTER_SCRIPT, { keys: [INBOX, DEAD], arguments: told }))
    },
  }
}

export type InboxGroup = ReturnType<typeof inboxGroup>
