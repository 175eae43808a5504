import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import {
  attemptsKey,
  BLOCK_DEADLINE_MS,
  BLOCK_MS,
  DEAD_KEY,
  type Entry,
  entriesOf,
  REDIS_DEADLINE_MS,
  RETENTION_MS,
  STREAM_KEY,
} from './stream.ts'

/** Few, because what a consumer holds when it dies waits until it is claimed. */
const BATCH_MAX = 16
/** Dead letters wait for a person, but not for ever. */
const DEAD_RETENTION_MS = 30 * 86_400_000

const ACK_SCRIPT = `
redis.call('HDEL', KEYS[2], ARGV[2], 'died:' .. ARGV[2])
return redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
`

/** Moves an entry to the dead letters, unless it is not the group's any more (erased meanwhile). */
const DEAD_LETTER_SCRIPT = `
redis.call('HDEL', KEYS[2], ARGV[2], 'died:' .. ARGV[2])
if redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
local nowMs = tonumber(redis.call('TIME')[1]) * 1000
local letter = {}
for i = 7, #ARGV do letter[#letter + 1] = ARGV[i] end
for i, name in ipairs({ 'group', 'entry', 'error', 'attempts', 'failedAt' }) do
  letter[#letter + 1] = name
  letter[#letter + 1] = ({ ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] })[i]
end
redis.call('XADD', KEYS[3], '*', unpack(letter))
redis.call('XTRIM', KEYS[3], 'MINID', '~', string.format('%.0f', math.max(0, nowMs - tonumber(ARGV[6]))))
return 1
`

/** Counts failures and deaths of an entry: Redis's delivery counter also counts what was never reached. */
const BEGIN_SCRIPT = `
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('HINCRBY', KEYS[1], 'died:' .. ARGV[1], 1)
`
const FAIL_SCRIPT = `
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('HDEL', KEYS[1], 'died:' .. ARGV[1])
return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
`
const CLEAR_DEATHS_SCRIPT = `return redis.call('HDEL', KEYS[1], 'died:' .. ARGV[1])`

export type Claim = { next: string; entries: Entry[]; lost: string[] }

/** What a consumer says to Redis; every call has a deadline and throws when Redis is away. */
export function consumerGroup(options: { redis: Redis; blocking: Redis; group: string; consumer: string }) {
  const { redis, blocking, group, consumer } = options
  const keys = [STREAM_KEY, attemptsKey(group)]
  const soon = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })
  const note = async (script: string, entryId: string) => {
    const how = { keys: [attemptsKey(group)], arguments: [entryId, String(RETENTION_MS)] }
    return Number(await soon(redis.eval(script, how)))
  }

  return {
    /** Makes the group, from the first event that is still there; false when there is one. */
    ensure: () => ensureGroup(redis, STREAM_KEY, group),
    /** Entries that no consumer of the group has got yet; waits for some, BLOCK_MS at most. */
    readNew: async (blockMs: number): Promise<Entry[]> => {
      const reply = await withDeadline(
        blocking.xReadGroup(
          group,
          consumer,
          { key: STREAM_KEY, id: '>' },
          { COUNT: BATCH_MAX, BLOCK: Math.min(blockMs, BLOCK_MS) },
        ),
        { what: 'Redis', deadlineMs: BLOCK_DEADLINE_MS },
      )
      return entriesOf(reply?.[0]?.messages)
    },
    /** The first entry behind `after` that this consumer got and did not finish. */
    readOwn: async (after: string): Promise<Entry | undefined> => {
      const reply = await soon(
        redis.xReadGroup(group, consumer, { key: STREAM_KEY, id: after }, { COUNT: 1 }),
      )
      return entriesOf(reply?.[0]?.messages)[0]
    },
    /** Takes over one entry that was not finished for so long; `next` is `0-0` at the end. */
    claim: async (idleMs: number, cursor: string): Promise<Claim> => {
      const reply = await soon(redis.xAutoClaim(STREAM_KEY, group, consumer, idleMs, cursor, { COUNT: 1 }))
      return { next: reply.nextId, entries: entriesOf(reply.messages), lost: reply.deletedMessages }
    },
    ack: async (entryId: string): Promise<void> => {
      await soon(redis.eval(ACK_SCRIPT, { keys, arguments: [group, entryId] }))
    },
    /** Counts a retry of an unfinished entry; returns how many there were since a try ended. */
    begin: (entryId: string) => note(BEGIN_SCRIPT, entryId),
    /** Notes a try that failed, and gives their number. */
    fail: (entryId: string) => note(FAIL_SCRIPT, entryId),
    /** Notes that a try ended, and for no fault of the event. */
    clearDeaths: (entryId: string) => note(CLEAR_DEATHS_SCRIPT, entryId),
    /** Moves the entry to the dead letters. */
    deadLetter: async (
      entry: Entry,
      { error, attempts }: { error: string; attempts: number },
    ): Promise<void> => {
      const fields = Object.entries(entry.fields ?? {}).filter(([name]) => name !== 'only')
      const failedAt = new Date().toISOString()
      const described = [group, entry.entryId, error, String(attempts), failedAt, String(DEAD_RETENTION_MS)]
      await soon(
        redis.eval(DEAD_LETTER_SCRIPT, {
          keys: [...keys, DEAD_KEY],
          arguments: [...described, ...fields.flat()],
        }),
      )
    },
    /** How many entries the group has neither done nor given up; undefined when Redis does not know. */
    lag: async (): Promise<number | undefined> => {
      const groups = await soon(redis.xInfoGroups(STREAM_KEY))
      const own = groups.find(({ name }) => name === group)
      return own && own.lag !== null && own.lag !== undefined ? own.lag + own.pending : undefined
    },
  }
}

/** Makes a group from the stream's first entry on; false when there is one. @throws when Redis is away */
export async function ensureGroup(redis: Redis, stream: string, group: string): Promise<boolean> {
  const created = redis.xGroupCreate(stream, group, '0', { MKSTREAM: true })
  try {
    await withDeadline(created, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })
    return true
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('BUSYGROUP')) return false
    throw error
  }
}

export type ConsumerGroup = ReturnType<typeof consumerGroup>
