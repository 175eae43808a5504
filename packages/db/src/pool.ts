import type { Log } from '@palanquin/service/log'
import postgres from 'postgres'

/** On a busy machine a handshake takes seconds; the next ones get twice as long, until one has answered. */
const OPENING_S_MIN = 10
const OPENING_S_MAX = 40
const RECONNECT_S_MAX = 1
const IDLE_TIMEOUT_S = 120
/** Statements under way at close get this long. */
const CLOSE_TIMEOUT_S = 2
/** int8 as JavaScript has it: exact up to 2^53, which no counter here reaches. */
const INT8_OID = 20

/** Lists as parameters and in rows, by the oids of their types (pg_type.dat). */
const LISTS = {
  texts: listType(1009, (text) => text),
  int4s: listType(1007, Number),
  int8s: listType(1016, Number),
  doubles: listType(1022, Number),
}

/** JSON goes in as text, as drizzle passes it and as `$1::text::json` wants it. */
const JSON_TEXT = {
  to: 114,
  from: [114, 3802],
  serialize: (text: string) => text,
  parse: (text: string): unknown => JSON.parse(text),
}

/** PostgreSQL's default, which PgBouncer refuses: behind it prepared statements make postgres.js wait for ever. */
const TELLS_POOLER = { plan_cache_mode: 'auto' }

export type Pool = {
  /** Sends a statement; behind a pooler unprepared and without the settings. */
  send: <T>(statement: (sql: Connections, options: { prepare: boolean }) => PromiseLike<T>) => Promise<T>
  /** Reports that a statement was answered. */
  answered: () => void
  /** Reports a statement that overran its deadline: its connection is stuck until that settles. */
  overdue: (work: PromiseLike<unknown>) => void
  close: () => Promise<void>
}

type Connections = postgres.Sql<{ int8: number }>

type Options = {
  url: string
  name: string
  log: Log
  max: number
  settings: Readonly<Record<string, string>>
}

/** Connections that are replaced when half are stuck: a stalled link blocks one for ever (postgres.js #1089). */
export function openPool({ url, name, log, max, settings }: Options): Pool {
  let isPooled = false
  let openingS = OPENING_S_MIN
  const open = () =>
    postgres(url, {
      max,
      connect_timeout: 1.5 * openingS,
      idle_timeout: IDLE_TIMEOUT_S,
      backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, RECONNECT_S_MAX),
      connection: { application_name: name, ...(isPooled ? {} : { ...TELLS_POOLER, ...settings }) },
      // postgres.js reads the array types at connect, and a failure of that would end the process.
      fetch_types: false,
      types: {
        int8: { to: INT8_OID, from: [INT8_OID], serialize: String, parse: Number },
        json: JSON_TEXT,
        ...LISTS,
      },
      onnotice: () => {},
    })
  const begin = () => ({ sql: open(), openedMs: performance.now(), hasAnswered: false, stuck: 0 })
  let current = begin()

  const replace = (timeoutS: number) => {
    const old = current.sql
    current = begin()
    old
      .end({ timeout: timeoutS })
      .catch((error: Error) =>
        log.debug({ event: 'postgres.pool_closed', reason: error.message }, 'Old connections are closed'),
      )
  }

  return {
    send: async (statement) => {
      const { sql } = current
      try {
        return await statement(sql, { prepare: !isPooled })
      } catch (error) {
        if (!isPooler(error)) throw error
        if (!isPooled)
          log.info(
            { event: 'postgres.pooled', reason: error.message },
            'A pooler hands on each transaction: statements are planned each time, without settings of their own',
          )
        isPooled = true
        if (sql === current.sql) replace(CLOSE_TIMEOUT_S)
        return await statement(current.sql, { prepare: false })
      }
    },
    answered: () => {
      current.hasAnswered = true
      openingS = OPENING_S_MIN
    },
    overdue: (work) => {
      const used = current
      const settled = () => {
        used.stuck--
      }
      used.stuck++
      work.then(settled, settled)
      const isOpening = !used.hasAnswered && performance.now() - used.openedMs < 1_000 * openingS
      if (isOpening || used.stuck < Math.ceil(max / 2)) return
      if (!used.hasAnswered) openingS = Math.min(2 * openingS, OPENING_S_MAX)
      log.warn(
        { event: 'postgres.pool_replaced', connections: max },
        'Replaced connections that no longer answer',
      )
      replace(0)
    },
    close: () => current.sql.end({ timeout: CLOSE_TIMEOUT_S }),
  }
}

const isPooler = (error: unknown): error is postgres.PostgresError =>
  error instanceof postgres.PostgresError && error.message.startsWith('unsupported startup parameter')

/** A one-dimensional array in PostgreSQL's notation: `{"a","b"}`. */
function listType<T>(oid: number, parse: (text: string) => T) {
  return {
    to: oid,
    from: [oid],
    serialize: (items: readonly unknown[] | string) =>
      typeof items === 'string' ? items : `{${items.map(quoted).join(',')}}`,
    parse: (text: string): (T | null)[] =>
      elementsOf(text).map((element) => (element === null ? null : parse(element))),
  }
}

const quoted = (item: unknown): string =>
  item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`

/** The elements of `{a,"b c",NULL}`; an unquoted NULL is null. */
function elementsOf(text: string): (string | null)[] {
  const elements: (string | null)[] = []
  for (const [, inQuotes, bare] of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,"]+)/g))
    elements.push(
      inQuotes === undefined ? (bare === 'NULL' ? null : (bare ?? '')) : inQuotes.replace(/\\(.)/g, '$1'),
    )
  return elements
}
