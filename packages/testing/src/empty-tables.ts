import type postgres from 'postgres'

const DEADLOCK_DETECTED = '40P01'
const TRIES_MAX = 20

/** Empties tables beside services that are running. */
export async function emptyTables(sql: postgres.Sql, ...tables: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.unsafe(`TRUNCATE ${tables.join(', ')}`)
      return
    } catch (error) {
      if (!isDeadlock(error) || tries === TRIES_MAX) throw error
    }
  }
}

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DEADLOCK_DETECTED
