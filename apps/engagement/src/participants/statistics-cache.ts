import { randomUUID } from 'node:crypto'
import { shardOf, shardTag } from '@palanquin/domain/ids'
import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { elementsOf } from './buffer-reader.ts'
import { type PendingCheckin, readPending } from './pending-checkins.ts'
import { Snapshot } from './snapshot.ts'

/** Specification 8: statistics cache. */
const STATISTICS_TTL_MS = 60_000
/** Outlives every reader that asked the database before a write (their deadline is 3 s). */
const DROPPED_TTL_MS = 10_000
const REDIS = { what: 'Redis', deadlineMs: 500 }
/** Nobody reads on while somebody is erased: that waits for a busy Redis. */
const REDIS_DURING_ERASURE = { what: 'Redis', deadlineMs: 5_000 }
/** Drops that Redis has not heard of yet; past it they are left to the 60 s. */
const DROPS_TO_RETRY_MAX = 10_000

/** What Redis does at one go, with nobody else in between: a millisecond. */
const STATES_PER_SCRIPT_MAX = 64

/** Written only while the key holds what was seen (ARGV[1]), and nobody of the shard was erased since (ARGV[2]). */
const WRITE_ENTRY = defineScript(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] or (redis.call('GET', KEYS[2]) or '') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return 1`)
/** Read-only: what is another service's to write, this one may not name in a script that could. Five keys and five answers each. */
const READ_STATES = defineScript(
  `
local seen = {}
for at, userId in ipairs(ARGV) do
  local k = at * 5 - 5
  seen[k + 1] = redis.call('GET', KEYS[k + 1])
  seen[k + 2] = table.concat(redis.call('LRANGE', KEYS[k + 2], 0, -1), ' ')
  seen[k + 3] = redis.call('GET', KEYS[k + 3])
  seen[k + 4] = redis.call('SISMEMBER', KEYS[k + 4], userId)
  seen[k + 5] = redis.call('GET', KEYS[k + 5])
end
return seen`,
  { readOnly: true },
)
const REPLIES_PER_PARTICIPANT = 5
const ERASE = defineScript(`
redis.call('INCR', KEYS[2])
return redis.call('DEL', KEYS[1])`)

/** A look into Redis: what is pending, and what was cached. */
export type CachedState = {
  pending: PendingCheckin[]
  /** Whether anything of them waits in tracking's buffer: that makes them known before the first flush. */
  isBuffered: boolean
  /** The cached figures, if any; `fresh` when nothing was flushed or checked in since. */
  cached: { snapshot: Snapshot; fresh: boolean } | null
  /** What the key held and what it was valid for: a later `keep` wants both unchanged. */
  raw: string | null
  mark: string
  /** How many participants of the shard were erased. */
  erasures: string
}

const Entry = Type.Object({ mark: Type.String(), snapshot: Snapshot })
type Entry = Static<typeof Entry>
const entries = Compile(Entry)

export type StatisticsCache = ReturnType<typeof createStatisticsCache>

/**
 * The cached figures of participants, `{sNN}:stats:<userId>`. An entry holds as long as the shard's `flushed` mark
 * and the last pending check-in are what they were. Without Redis everything is null and the database answers.
 */
export function createStatisticsCache({ redis, log }: { redis: Redis; log: Log }) {
  const dropsToRetry = new Set<string>()
  const reach = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      log.debug({ reason: String(error) }, 'statistics go without the cache')
      return null
    }
  }

  const seenOf = async (userIds: readonly string[]): Promise<unknown[][]> => {
    const keys = userIds
      .map(keysOf)
      .flatMap((of) => [of.statistics, of.pending, of.flushed, of.waiting, of.erasures])
    const seen = await withDeadline(runScript(redis, READ_STATES, { keys, args: userIds }), REDIS)
    if (!Array.isArray(seen)) throw new TypeError('a look at the cache is answered with a list')
    return userIds.map((_, at) =>
      seen.slice(at * REPLIES_PER_PARTICIPANT, (at + 1) * REPLIES_PER_PARTICIPANT),
    )
  }
  const loader = new BatchLoader({ askAll: seenOf, atOnce: redis.isCluster ? 1 : STATES_PER_SCRIPT_MAX })

  /** One round trip for all who look in the same turn of the event loop. Null when Redis is away. */
  const readState = async (userId: string): Promise<CachedState | null> => {
    const seen = await reach(loader.ask(userId))
    if (!seen) return null
    const [raw, pending, flushed, waits, erased] = seen
    const elements = elementsOf(pending)
    const mark = `${textOrNull(flushed) ?? ''} ${elements.at(-1) ?? ''}`
    const entry = dropsToRetry.has(userId) ? null : readEntry(textOrNull(raw))
    return {
      pending: readPending(elements),
      isBuffered: elements.length > 0 || waits === 1,
      cached: entry && { snapshot: entry.snapshot, fresh: entry.mark === mark },
      raw: textOrNull(raw),
      mark,
      erasures: textOrNull(erased) ?? '',
    }
  }

  /** Keeps figures, unless somebody wrote or dropped them since the look. */
  const keep = async (
    userId: string,
    { raw, mark, erasures }: CachedState,
    snapshot: Snapshot,
  ): Promise<void> => {
    const entry: Entry = { mark, snapshot }
    const keys = keysOf(userId)
    const args = [raw ?? '', erasures, JSON.stringify(entry), String(STATISTICS_TTL_MS)]
    await reach(
      withDeadline(runScript(redis, WRITE_ENTRY, { keys: [keys.statistics, keys.erasures], args }), REDIS),
    )
  }

  /**
   * Removes a participant's entry and any mark of a drop, which name them; a reader who asked the database before their
   * row was erased cannot put figures back. @throws StoreUnavailable
   */
  const erase = async (userId: string): Promise<void> => {
    const keys = keysOf(userId)
    dropsToRetry.delete(userId)
    try {
      const erased = runScript(redis, ERASE, { keys: [keys.statistics, keys.erasures], args: [] })
      await withDeadline(erased, REDIS_DURING_ERASURE)
    } catch (error) {
      throw new StoreUnavailable('cache', error)
    }
  }

  /**
   * Drops a participant's entry after a write. A mark stays for a moment in its place: a reader who asked the
   * database before the write finds the key changed and cannot put the old figures back.
   */
  const drop = async (userId: string): Promise<void> => {
    const dropped = await reach(
      withDeadline(
        redis.set(keysOf(userId).statistics, `dropped ${randomUUID()}`, {
          expiration: { type: 'PX', value: DROPPED_TTL_MS },
        }),
        REDIS,
      ),
    )
    if (dropped) dropsToRetry.delete(userId)
    else if (dropsToRetry.size < DROPS_TO_RETRY_MAX) dropsToRetry.add(userId)
  }

  /** Makes up for drops that Redis missed while it was away. */
  const retryDrops = async (): Promise<void> => {
    if (redis.isReady) for (const userId of dropsToRetry) await drop(userId)
  }

  return { readState, keep, drop, erase, retryDrops }
}

function keysOf(userId: string) {
  const tag = shardTag(shardOf(userId))
  return {
    statistics: `${tag}:stats:${userId}`,
    pending: `${tag}:pending:${userId}`,
    flushed: `${tag}:flushed`,
    waiting: `${tag}:waiting`,
    erasures: `${tag}:erasures`,
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A cached entry; null for none, for the mark of a drop, and for what another version of this service kept. */
function readEntry(raw: string | null): Entry | null {
  if (!raw?.startsWith('{')) return null
  const value: unknown = JSON.parse(raw)
  return entries.Check(value) ? value : null
}
