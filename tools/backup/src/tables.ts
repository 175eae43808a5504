import { join } from 'node:path'
import type { Sql, TransactionSql } from 'postgres'
import { readLines, type Written, writeLines } from './lines.ts'
import type { Manifest } from './manifest.ts'

/** Every schema of the database; a test in e2e compares the list with it. */
export const SCHEMAS = ['engagement', 'line', 'media', 'tracking']
/** Rows of one INSERT: enough that round trips do not matter, few enough to hold as text. */
const ROWS_PER_STATEMENT = 5_000
const ROWS_PER_FETCH = 2_000

type Table = Pick<Manifest['tables'][number], 'name' | 'columns'> & { identities: string[] }

/** Tables and their columns as SQL writes them. Tables with foreign keys come last. */
const TABLES = `
SELECT format('%I.%I', n.nspname, c.relname) AS name,
       array(SELECT quote_ident(attname) FROM pg_attribute
              WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
              ORDER BY attnum) AS columns,
       array(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attidentity <> '') AS identities
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = ANY($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
 ORDER BY EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid AND contype = 'f'), name`

const DAYS = `
SELECT right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = 'tracking.points'::regclass ORDER BY day`

const MIGRATIONS = 'SELECT hash FROM drizzle.__drizzle_migrations ORDER BY created_at'

const tablesOf = (sql: TransactionSql): Promise<Table[]> => sql.unsafe<Table[]>(TABLES, [SCHEMAS])

/** Hashes of the applied migrations, in order. */
export const migrationsOf = async (sql: Sql | TransactionSql): Promise<string[]> =>
  (await sql.unsafe<{ hash: string }[]>(MIGRATIONS)).map(({ hash }) => hash)

/** The days that have a partition of points, as YYYYMMDD. */
export const daysOf = async (sql: TransactionSql): Promise<string[]> =>
  (await sql.unsafe<{ day: string }[]>(DAYS)).map(({ day }) => day)

/** How many points there are, packed ones included. */
export async function pointsOf(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ points: number }[]>`
    SELECT (SELECT count(*) FROM tracking.points)::float8
         + (SELECT coalesce(sum(points), 0) FROM tracking.packed_points)::float8 AS points`
  return row?.points ?? 0
}

const fileOf = (table: string): string => `postgres/${table}.ndjson.gz`

/** Writes every table as JSON lines, one per row. */
export async function saveTables(
  sql: TransactionSql,
  folder: string,
): Promise<{ tables: Manifest['tables']; files: Record<string, string> }> {
  const tables: Manifest['tables'] = []
  const files: Record<string, string> = {}
  for (const { name, columns, identities } of await tablesOf(sql)) {
    const written: Written = await writeLines(join(folder, fileOf(name)), rowsOf(sql, name))
    const numbering: Record<string, string> = {}
    for (const column of identities) numbering[column] = await lastOf(sql, name, column)
    tables.push({ name, columns, rows: written.lines, numbering })
    files[fileOf(name)] = written.sha256
  }
  return { tables, files }
}

async function* rowsOf(sql: TransactionSql, table: string): AsyncGenerator<string> {
  const query = sql.unsafe<{ line: string }[]>(`SELECT row_to_json(t)::text AS line FROM ${table} t`)
  for await (const rows of query.cursor(ROWS_PER_FETCH)) for (const { line } of rows) yield line
}

/** The last value of an identity column; 0 when it has none. */
async function lastOf(sql: TransactionSql, table: string, column: string): Promise<string> {
  const [found] = await sql<
    { sequence: string }[]
  >`SELECT pg_get_serial_sequence(${table}, ${column}) AS sequence`
  const [row] = await sql.unsafe<{ last: string }[]>(
    `SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS last FROM ${found?.sequence}`,
  )
  return row?.last ?? '0'
}

/** Replaces what the migrations inserted with the rows of a backup; `sql` is a transaction. */
export async function loadTables(
  sql: TransactionSql,
  folder: string,
  { tables, days }: Pick<Manifest, 'tables' | 'days'>,
): Promise<void> {
  for (const day of days) await sql`SELECT tracking.ensure_points_partition(to_date(${day}, 'YYYYMMDD'))`
  for (const { name } of tables.toReversed()) await sql.unsafe(`DELETE FROM ${name}`)
  for (const table of tables) {
    for await (const rows of inBatches(readLines(join(folder, fileOf(table.name)))))
      await insert(sql, table, rows)
    for (const [column, last] of Object.entries(table.numbering))
      if (last !== '0')
        await sql`SELECT setval(pg_get_serial_sequence(${table.name}, ${column}), ${last}::text::bigint)`
  }
}

/** Only the columns of the backup: others keep their defaults. */
async function insert(
  sql: TransactionSql,
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  rows: readonly string[],
) {
  const named = columns.join(', ')
  await sql.unsafe(
    `INSERT INTO ${name} (${named}) OVERRIDING SYSTEM VALUE
     SELECT ${named} FROM json_populate_recordset(NULL::${name}, $1::text::json)`,
    [`[${rows.join(',')}]`],
  )
}

async function* inBatches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const line of lines) {
    batch.push(line)
    if (batch.length < ROWS_PER_STATEMENT) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
