import { fileURLToPath } from 'node:url'
import { buildOf } from '@palanquin/service/build'
import { retry } from '@palanquin/service/retry'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import postgres from 'postgres'
import {
  FACTS,
  type Facts,
  newerSchemaProblem,
  olderSchemaProblem,
  schemaComment,
  serverProblem,
} from './requirements.ts'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url))
/** Any constant: every migration takes the same lock. */
const MIGRATION_LOCK_ID = 7_223_001

/** A migration that waits for a lock holds up all who come after it: it gives way and comes again. */
const LOCK_TIMEOUT = '3s'
const LOCK_NOT_AVAILABLE = '55P03'
const RETRIES = {
  minMs: 500,
  maxMs: 5_000,
  withinMs: 120_000,
  isRetryable: (error: unknown) => isLocked(error),
}

/** A database that this program must not migrate; the message says why, and what to do. */
export class UnfitDatabase extends Error {}

type Options = { build?: { version: string; commit: string } }

/** Brings the schema up to date, all of it or nothing. @throws UnfitDatabase, or PostgreSQL's error */
export async function migrateDatabase(
  url: string,
  { build = buildOf(process.env) }: Options = {},
): Promise<void> {
  // A pooler in front of PostgreSQL has no prepared statements, and no locks of a session.
  const client = postgres(url, { max: 1, connect_timeout: 5, prepare: false, onnotice: () => {} })
  try {
    await retry(() => migrateOnce(client, build), RETRIES)
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function migrateOnce(client: postgres.Sql, build: { version: string; commit: string }): Promise<void> {
  await client.begin(async (tx) => {
    await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK_ID})`
    const [facts] = await tx.unsafe<Facts[]>(FACTS)
    const problem = facts && (serverProblem(facts) ?? newerSchemaProblem(facts))
    if (problem !== undefined) throw new UnfitDatabase(problem)
    if (facts && !olderSchemaProblem(facts)) return
    await applyMigrations(tx)
    await tx.unsafe(`COMMENT ON SCHEMA drizzle IS '${schemaComment(build).replaceAll("'", "''")}'`)
  })
}

/** As drizzle's migrate(), which takes no lock, and begins a transaction of its own. */
async function applyMigrations(tx: postgres.TransactionSql): Promise<void> {
  await tx`CREATE SCHEMA IF NOT EXISTS drizzle`
  await tx`CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations
           (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`
  const [last] = await tx`SELECT max(created_at)::float8 AS at FROM drizzle.__drizzle_migrations`
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })) {
    if (folderMillis <= Number(last?.at ?? 0)) continue
    for (const statement of sql) await tx.unsafe(statement)
    await tx`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES (${hash}, ${folderMillis})`
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === LOCK_NOT_AVAILABLE
