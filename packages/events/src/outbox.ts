import type { Database } from '@palanquin/db/client'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { publishedKey, REDIS_DEADLINE_MS } from './stream.ts'

/** Which rows the bus has, and how long: noted in one step with the events, so that both are lost together. */
const READ = `
local time = redis.call('TIME')
local settledMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) - tonumber(ARGV[1])
return {
  redis.call('ZRANGE', KEYS[1], '-inf', string.format('%.0f', settledMs), 'BYSCORE'),
  redis.call('ZRANGE', KEYS[1], string.format('(%.0f', settledMs), '+inf', 'BYSCORE'),
}`

/** `settled` (rows' `seq`) is on the disk of Redis too; of `recent` that is not known yet. */
type Published = { settled: string[]; recent: string[] }

const soon = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })

/** Which rows were published. @throws when Redis is away */
export async function readPublished(
  redis: Redis,
  schema: string,
  settledAfterMs: number,
): Promise<Published> {
  const options = { keys: [publishedKey(schema)], arguments: [String(settledAfterMs)] }
  const answer: unknown = await soon(redis.eval(READ, options))
  const [settled, recent] = Array.isArray(answer) ? answer : []
  return { settled: textsOf(settled), recent: textsOf(recent) }
}

/** Forgets rows that are gone from the outbox. @throws when Redis is away */
export async function forgetPublished(redis: Redis, schema: string, seqs: readonly string[]): Promise<void> {
  await soon(redis.zRem(publishedKey(schema), [...seqs]))
}

const textsOf = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : [])

/** An event of the largest kind has some 100 kB, and Redis does nothing else meanwhile. */
const BATCH_ROWS_MAX = 50

export type OutboxRow = {
  seq: number
  id: string
  type: string
  at: string
  /** JSON text, as it goes out. */
  data: string
}

const arrayOf = (seqs: readonly string[]): string => `{${seqs.join()}}`

/** The outbox table of a schema: rows that were inserted together with the change they report. */
export function outboxOf(db: Pick<Database, 'query'>, schema: string) {
  return {
    hasRows: async (): Promise<boolean> =>
      (await db.query(`SELECT 1 AS there FROM ${schema}.outbox LIMIT 1`)).length > 0,
    /** The oldest rows but those (by `seq`), in order. */
    read: (but: readonly string[]): Promise<OutboxRow[]> =>
      db.query<OutboxRow>(
        `SELECT seq, id, type, data::text AS data,
                to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
           FROM ${schema}.outbox WHERE seq <> ALL($1::text::bigint[]) ORDER BY seq LIMIT ${BATCH_ROWS_MAX}`,
        [arrayOf(but)],
      ),
    remove: async (seqs: readonly string[]): Promise<void> => {
      await db.query(`DELETE FROM ${schema}.outbox WHERE seq = ANY($1::text::bigint[])`, [arrayOf(seqs)])
    },
  }
}
