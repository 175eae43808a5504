import { DeadlineExceeded, withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { DrizzleQueryError } from 'drizzle-orm'
import { drizzle, type PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { Static, TObject } from 'typebox'
import { openPool } from './pool.ts'
import { checkRows } from './rows.ts'

/** SQLSTATE classes of a server that is away for us: connection, resources, shutdown, system. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
const QUERY_DEADLINE_MS = 3_000

export type Row = Record<string, unknown>
export type Parameter = string | number | boolean | null | readonly string[] | readonly number[]
type CallOptions = { deadlineMs?: number }

/** Each call is ONE statement under a deadline. @throws StoreUnavailable; it may have taken effect */
export type Database = {
  /** Raw SQL: $1, $2 …, times as ISO text, objects as JSON text. The rows' type is the caller's claim. */
  query: <T extends Row>(
    text: string,
    parameters?: readonly Parameter[],
    options?: CallOptions,
  ) => Promise<T[]>
  /** The same, each row checked against a schema: some 0.1 µs for a row. */
  queryAs: <S extends TObject>(
    schema: S,
    text: string,
    parameters?: readonly Parameter[],
    options?: CallOptions,
  ) => Promise<Static<S>[]>
  /** A query of drizzle on the same connections. */
  orm: <T>(build: (orm: PgRemoteDatabase) => PromiseLike<T>, options?: CallOptions) => Promise<T>
  ping: () => Promise<void>
  close: () => Promise<void>
}

type Options = {
  url: string
  name: string
  log: Log
  max?: number
  deadlineMs?: number
  /** Settings of PostgreSQL that hold on these connections. */
  settings?: Readonly<Record<string, string>>
}

/** For look-ups by key: each statement is planned once a connection, by the indexes. */
export const BY_KEY = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const

/** Connects lazily. No `sql.begin`: a backend that dies inside one ends the process (postgres.js #1208). */
export function connectDatabase({
  url,
  name,
  log,
  max = 8,
  deadlineMs = QUERY_DEADLINE_MS,
  settings = {},
}: Options): Database {
  const pool = openPool({ url, name, log, max, settings })
  // The driver for a custom transport: that for postgres.js replaces the parsers of its connections.
  const orm = drizzle(async (text, parameters, method) => {
    const rows = await pool.send((sql, options) => {
      const statement = sql.unsafe(text, parameters, options)
      return method === 'all' ? statement.values() : statement
    })
    return { rows }
  })

  const within = async <T>(work: PromiseLike<T>, limitMs = deadlineMs): Promise<T> => {
    try {
      const result = await withDeadline(work, {
        what: 'PostgreSQL',
        deadlineMs: limitMs,
        onLate: (error) =>
          log.debug(
            { event: 'postgres.late_failure', reason: String(error) },
            'A statement failed after its deadline',
          ),
      })
      pool.answered()
      return result
    } catch (error) {
      if (error instanceof DeadlineExceeded) pool.overdue(work)
      throw isUnavailable(error) ? new StoreUnavailable('database', error) : withoutParameters(error)
    }
  }

  const query = async <T extends Row>(
    text: string,
    parameters: readonly Parameter[] = [],
    options: CallOptions = {},
  ): Promise<T[]> => {
    const rows = pool.send((sql, prepare) => sql.unsafe<T[]>(text, [...parameters], prepare))
    return [...(await within(rows, options.deadlineMs))]
  }

  return {
    query,
    queryAs: async (schema, text, parameters, options) =>
      checkRows(schema, await query(text, parameters, options)),
    // A query of drizzle runs again for every `then`, a promise of it does not.
    orm: (build, options = {}) => within(Promise.resolve(build(orm)), options.deadlineMs),
    ping: async () => {
      await query('select 1')
    },
    close: pool.close,
  }
}

/** Whether an error means that PostgreSQL is away (rather than that the statement is wrong). */
function isUnavailable(error: unknown): boolean {
  if (error instanceof DeadlineExceeded) return true
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  if (/^(CONNECT|CONNECTION_|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH)/.test(code)) return true
  return /^[0-9A-Z]{5}$/.test(code) && UNAVAILABLE_CLASSES.has(code.slice(0, 2))
}

/** drizzle puts a statement's parameters into the message, and so a phone number into a log. */
function withoutParameters(error: unknown): unknown {
  if (error instanceof DrizzleQueryError) return error.cause ?? new Error('a query failed')
  return error
}

/** Whether a statement would have given a key a second time: another one was faster. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'
