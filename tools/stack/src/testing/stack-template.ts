import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrateDatabase } from '@palanquin/db/migrate'
import { startPostgres } from '@palanquin/embedded/postgres'

/** Of a home: the cluster of PostgreSQL, and the password that its superuser has in there. */
const DATABASE = 'pg'
const SECRETS = 'secrets'

/**
 * Makes a stopped PostgreSQL with all migrations in `folder`, for the stacks of a whole run of tests: with
 * TEST_STACK_TEMPLATE naming that folder, each starts on a copy. initdb and the migrations take a second of processor
 * time, and what they make is the same each time; the first start of an empty home is e2e/launcher.test.ts.
 */
export async function makeStackTemplate(folder: string): Promise<void> {
  const making = join(folder, 'making')
  const server = await startPostgres({
    dataDir: join(folder, DATABASE),
    passwordFile: join(folder, SECRETS, 'postgres'),
    logFile: join(making, 'postgres.log'),
    pidFile: join(making, 'postgres.pid'),
    nofsync: true,
  })
  try {
    await migrateDatabase(server.url)
  } finally {
    await server.stop()
  }
}

/** Copies a template into the folder of a home that was never started, with its owners and modes. */
export function copyStackTemplate(template: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const parts = [DATABASE, SECRETS].map((name) => join(template, name))
  const { success, stderr } = Bun.spawnSync(['cp', '-Rp', ...parts, folder])
  if (!success) throw new Error(`cannot copy ${template} to ${folder}: ${stderr.toString().trim()}`)
}
