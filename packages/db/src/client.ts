import { DeadlineExceeded, withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { DrizzleQueryError } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import { openPool, type Pool } from './pool.ts'

/** SQLSTATE classes that say that the server is not there for us now: connection, resources, shutdown, system. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
const QUERY_DEADLINE_MS = 3_000

export type Row = Record<string, unknown>
export type Parameter = string | number | boolean | null | readonly string[] | readonly number[]

export type Database = {
  /**
   * Runs ONE statement ($1, $2 … parameters; objects as JSON text) under a deadline. Times go in as ISO text.
   * @throws StoreUnavailable when the server is away or late; the statement may have taken effect then
   */
  query: <T extends Row>(
    text: string,
    parameters?: readonly Parameter[],
    options?: { deadlineMs?: number },
  ) => Promise<T[]>
  /** drizzle over connections of its own, since it changes its client's parsers. Its calls go through `reach`. */
  readonly orm: ReturnType<typeof drizzle>
  /** Puts a call of `orm` under the deadline and the same errors as `query`. */
  reach: <T>(work: PromiseLike<T>, options?: { deadlineMs?: number }) => Promise<T>
  ping: () => Promise<void>
  close: () => Promise<void>
}

type Options = { url: string; name: string; log: Log; max?: number; deadlineMs?: number }

/**
 * Connects lazily, so that a process starts without PostgreSQL. No `sql.begin` anywhere: a backend that dies
 * inside one ends the process, or lets a later statement commit outside it (postgres.js #1208, #1155).
 */
export function connectDatabase({
  url,
  name,
  log,
  max = 8,
  deadlineMs = QUERY_DEADLINE_MS,
}: Options): Database {
  const plain = openPool({ url, name, log, max })
  const mapped = openPool({ url, name, log, max: Math.max(2, Math.ceil(max / 2)) })
  let orm = { sql: mapped.sql(), drizzle: drizzle(mapped.sql()) }

  const within = async <T>(pool: Pool, work: PromiseLike<T>, limitMs = deadlineMs): Promise<T> => {
    try {
      return await withDeadline(work, {
        what: 'PostgreSQL',
        deadlineMs: limitMs,
        onLate: (error) => log.debug({ reason: String(error) }, 'a late answer of PostgreSQL was an error'),
      })
    } catch (error) {
      if (error instanceof DeadlineExceeded) pool.overdue(work)
      throw isUnavailable(error) ? new StoreUnavailable('database', error) : withoutParameters(error)
    }
  }

  const query = async <T extends Row>(
    text: string,
    parameters: readonly Parameter[] = [],
    options: { deadlineMs?: number } = {},
  ): Promise<T[]> => {
    const rows = plain.sql().unsafe<T[]>(text, [...parameters], { prepare: true })
    return [...(await within(plain, rows, options.deadlineMs))]
  }

  return {
    query,
    get orm() {
      const sql = mapped.sql()
      if (orm.sql !== sql) orm = { sql, drizzle: drizzle(sql) }
      return orm.drizzle
    },
    reach: (work, options = {}) => within(mapped, work, options.deadlineMs),
    ping: async () => {
      await query('select 1')
    },
    close: async () => {
      await Promise.all([plain.close(), mapped.close()])
    },
  }
}

/** Whether an error says that PostgreSQL is away (rather than that the statement is wrong). */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DeadlineExceeded) return true
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  if (/^(CONNECT|CONNECTION_|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH)/.test(code)) return true
  return /^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE_CLASSES.has(code.slice(0, 2))
}

/** drizzle puts a statement's parameters into the message: a phone number must not reach a log by that way. */
function withoutParameters(error: unknown): unknown {
  if (error instanceof DrizzleQueryError) return error.cause ?? new Error('a query failed')
  return error
}
