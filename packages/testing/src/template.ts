import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { until } from './until.ts'

/** The migrations are read by path, with drizzle's own migrator, and not through @palanquin/db. */
const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url))
/** Any constant: one process makes the template, the others wait for it. */
const TEMPLATE_LOCK_ID = 7_223_002

/** PostgreSQL waits five seconds for other backends of a database (autovacuum, sessions that end). */
const OBJECT_IN_USE = '55006'

const made = new Map<string, Promise<string>>()

/** The name of a database with all migrations applied, made once per server and state of the migrations folder. */
export function ensureTemplate(serverUrl: string): Promise<string> {
  const known = made.get(serverUrl) ?? makeTemplate(serverUrl)
  made.set(serverUrl, known)
  return known
}

async function makeTemplate(serverUrl: string): Promise<string> {
  const name = `palanquin_template_${hashOfFolder(MIGRATIONS_FOLDER)}`
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(${TEMPLATE_LOCK_ID})`
    const [there] = await sql`select 1 from pg_database where datname = ${name}`
    if (there) return name
    // Renamed when it is whole: a process that dies half-way leaves a draft, never a template that lacks tables.
    const draft = `palanquin_draft_${randomBytes(6).toString('hex')}`
    await onceUnused(sql, `CREATE DATABASE ${draft}`)
    const url = new URL(serverUrl)
    url.pathname = `/${draft}`
    await migrateTo(url.href)
    await onceUnused(sql, `ALTER DATABASE ${draft} RENAME TO ${name}`)
    return name
  } finally {
    await sql.end({ timeout: 5 }) // and with the connection goes the lock
  }
}

/** Runs a statement about a whole database, on a connection of its own. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} })
  try {
    await onceUnused(sql, statement)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Runs it again for as long as others use the database. Any other error is thrown at once. */
async function onceUnused(sql: postgres.Sql, statement: string): Promise<void> {
  const attempt = async () => {
    try {
      await sql.unsafe(statement)
      return { done: true }
    } catch (error) {
      if (error instanceof postgres.PostgresError && error.code === OBJECT_IN_USE) throw error
      return { error }
    }
  }
  const outcome = await until(attempt, { what: statement })
  if ('error' in outcome) throw outcome.error
}

const COMMENT_VERSION = `DO $$ BEGIN
  EXECUTE format('COMMENT ON SCHEMA drizzle IS %L', (SELECT count(*) || ' the tests' FROM drizzle.__drizzle_migrations));
END $$`

async function migrateTo(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER })
    // As db's migrator does: services refuse a database of another version.
    await sql.unsafe(COMMENT_VERSION)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function hashOfFolder(folder: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort())
    hash.update(file.slice(folder.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex').slice(0, 16)
}
