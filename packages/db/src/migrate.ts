import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url))
/** Any constant: every migration takes the same lock. */
const MIGRATION_LOCK_ID = 7_223_001

/**
 * Brings the schema up to date. drizzle's migrate() takes no lock of its own: four processes that boot at once
 * and three of them fail, hence the advisory lock on the one connection.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK_ID})`
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER })
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK_ID})`
  } finally {
    await sql.end({ timeout: 5 })
  }
}
