import type { Database } from '@palanquin/db/client'
import { alerts } from '@palanquin/db/schema/line'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { eq } from 'drizzle-orm'
import { Compile } from 'typebox/compile'
import { AlertState, NO_ALERTS } from './decide.ts'

const KEY = 'alerts'
/** Either store may be what is down. */
const STORE_DEADLINE_MS = 1_000

const schema = Compile(AlertState)

/** Both stores take a state only in place of an older one. */
const WRITE_SQL =
  'UPDATE line.alerts SET rev = $1, state = $2::text::jsonb WHERE id = 1 AND rev < $1 RETURNING 1 AS written'
const WRITE_REDIS = `
local stored = redis.call('GET', KEYS[1])
if stored and cjson.decode(stored).rev >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`

/** The alert state, in PostgreSQL, Redis and memory: it works while any is away, and one copy wins each step. */
export function alertLedger({
  db,
  redis,
  log,
  deadlineMs = STORE_DEADLINE_MS,
}: {
  db: Pick<Database, 'query' | 'orm'>
  redis: Redis
  log: Log
  deadlineMs?: number | undefined
}) {
  let memory: AlertState = NO_ALERTS
  const quietly = async <T>(store: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      log.debug(
        { event: 'alert.store_skipped', store, reason: String(error) },
        'The alert state does without a store',
      )
      return undefined
    }
  }
  const inRedis = <T>(work: Promise<T>) => withDeadline(work, { what: 'Redis', deadlineMs })
  const readSql = async (): Promise<unknown> =>
    (
      await db.orm((orm) => orm.select({ state: alerts.state }).from(alerts).where(eq(alerts.id, 1)), {
        deadlineMs,
      })
    )[0]?.state
  const readRedis = async (): Promise<unknown> => JSON.parse((await inRedis(redis.get(KEY))) ?? 'null')
  const writeSql = async (next: AlertState): Promise<boolean> =>
    (await db.query(WRITE_SQL, [next.rev, JSON.stringify(next)], { deadlineMs })).length > 0
  const writeRedis = async (next: AlertState): Promise<boolean> =>
    (await inRedis(
      redis.eval(WRITE_REDIS, { keys: [KEY], arguments: [String(next.rev), JSON.stringify(next)] }),
    )) === 1

  return {
    /** The latest that any of the three knows; a store that lags is brought up to it. */
    read: async (): Promise<AlertState> => {
      const [sql, kv] = await Promise.all([quietly('postgres', readSql), quietly('redis', readRedis)])
      const known = [sql, kv].map((value) => (schema.Check(value) ? value : NO_ALERTS))
      for (const state of known) if (state.rev > memory.rev) memory = state
      const [fromSql, fromRedis] = known
      if (sql !== undefined && fromSql && fromSql.rev < memory.rev)
        await quietly('postgres', () => writeSql(memory))
      if (kv !== undefined && fromRedis && fromRedis.rev < memory.rev)
        await quietly('redis', () => writeRedis(memory))
      return memory
    },
    /** Takes a step; false when another copy took it. */
    advance: async (next: AlertState): Promise<boolean> => {
      const bySql = await quietly('postgres', () => writeSql(next))
      const byRedis = bySql === false ? undefined : await quietly('redis', () => writeRedis(next))
      const won = bySql ?? byRedis ?? true
      if (won) memory = next
      return won
    },
  }
}

export type AlertLedger = ReturnType<typeof alertLedger>
