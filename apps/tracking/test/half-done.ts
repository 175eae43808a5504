import { until } from '@palanquin/testing/until'
import type { Sql } from 'postgres'

const TURNSTILE = 7_223_003

/** Begins a flush whose statement waits in the middle of its execution until `go` is called. */
export async function flushHeldMidStatement<T>(sql: Sql, flush: () => Promise<T>) {
  await sql`CREATE FUNCTION turnstile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock(${sql.unsafe(String(TURNSTILE))}); RETURN NULL; END $$`
  await sql`CREATE TRIGGER turnstile BEFORE INSERT ON tracking.tracks EXECUTE FUNCTION turnstile()`
  const blocker = await sql.reserve()
  await blocker`SELECT pg_advisory_lock(${TURNSTILE}::int)`
  const flushing = flush()
  const waiting = await until(
    async () => {
      const rows = await sql<{ pid: number }[]>`
        SELECT pid FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%tracking.points%'`
      return rows.length > 0 && rows.map(({ pid }) => pid)
    },
    { what: 'a statement that waits' },
  )
  return {
    flushing,
    waiting,
    go: async () => {
      await blocker`SELECT pg_advisory_unlock(${TURNSTILE}::int)`
      blocker.release()
    },
  }
}
