import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/refusal'
import type { Log } from '@palanquin/service/log'
import { DrizzleQueryError } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'

/** SQLSTATE classes that say that the server is not there for us now: connection, resources, shutdown, system. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
const CONNECT_TIMEOUT_S = 2
const RECONNECT_S_MAX = 1
/** Statements under way at close get this long. */
const CLOSE_TIMEOUT_S = 2
const QUERY_DEADLINE_MS = 3_000
/** int8 and timestamptz as JavaScript has them: numbers are exact up to 2^53, which no counter here reaches. */
const INT8_OID = 20

export type Row = Record<string, unknown>

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
  /** drizzle over connections of its own: it changes its client's parsers. Guard its calls with `reach`. */
  orm: ReturnType<typeof drizzle>
  /** Puts a drizzle call under the deadline and the same errors as `query`. */
  reach: <T>(work: PromiseLike<T>, options?: { deadlineMs?: number }) => Promise<T>
  ping: () => Promise<void>
  close: () => Promise<void>
}

export type Parameter = string | number | boolean | null | readonly string[] | readonly number[]

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
  const open = (connections: number) =>
    postgres(url, {
      max: connections,
      connect_timeout: CONNECT_TIMEOUT_S,
      idle_timeout: 120,
      backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, RECONNECT_S_MAX),
      connection: { application_name: name },
      types: { int8: { to: INT8_OID, from: [INT8_OID], serialize: String, parse: Number } },
      onnotice: () => {},
    })
  let client = open(max)
  let overdue = 0

  /** A stalled link holds its connection for ever (postgres.js #1089): once enough are stuck, start afresh. */
  const replaceClient = () => {
    const stuck = client
    client = open(max)
    overdue = 0
    log.warn({ store: 'postgres' }, 'replaced connections that no longer answer')
    stuck
      .end({ timeout: 0 })
      .catch((error: Error) => log.debug({ reason: error.message }, 'old connections closed'))
  }

  const reach = async <T>(work: PromiseLike<T>, options: { deadlineMs?: number } = {}): Promise<T> => {
    try {
      return await withDeadline(work, {
        what: 'PostgreSQL',
        deadlineMs: options.deadlineMs ?? deadlineMs,
        onLate: (error) => log.debug({ reason: String(error) }, 'a late answer of PostgreSQL was an error'),
      })
    } catch (error) {
      throw isUnavailable(error) ? new StoreUnavailable('database', error) : withoutParameters(error)
    }
  }

  const ormClient = open(Math.max(2, Math.ceil(max / 2)))
  return {
    query: async <T extends Row>(
      text: string,
      parameters: readonly Parameter[] = [],
      options: { deadlineMs?: number } = {},
    ) => {
      const used = client
      try {
        const rows = await reach(used.unsafe<T[]>(text, parameters as never[], { prepare: true }), options)
        return rows as unknown as T[]
      } catch (error) {
        if (
          error instanceof StoreUnavailable &&
          isOverdue(error.cause) &&
          used === client &&
          ++overdue >= max
        )
          replaceClient()
        throw error
      }
    },
    orm: drizzle(ormClient),
    reach,
    ping: async () => {
      await client`select 1`
    },
    close: async () => {
      await Promise.all([
        client.end({ timeout: CLOSE_TIMEOUT_S }),
        ormClient.end({ timeout: CLOSE_TIMEOUT_S }),
      ])
    },
  }
}

const isOverdue = (error: unknown): boolean => error instanceof Error && error.name === 'DeadlineExceeded'

/** Whether an error says that PostgreSQL is away (rather than that the statement is wrong). */
export function isUnavailable(error: unknown): boolean {
  if (isOverdue(error)) return true
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
