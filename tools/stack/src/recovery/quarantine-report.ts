import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readIfThere } from '@palanquin/embedded/file'
import postgres from 'postgres'
import type { Home } from '../run-state/home.ts'
import type { RunFile } from '../run-state/run-file.ts'

const CONNECT_S_MAX = 3
const DEADLINE_MS = 5_000
/** Where a tracking process moves journal lines with a wrong checksum (apps/tracking, journal/folder). */
const DAMAGED_FILE = 'damaged.log'

/**
 * Reports what cannot be requeued because it is damaged: buffer entries that are not points, and corrupt
 * journal lines. Counts and reasons only, no personal data.
 */
export async function reportQuarantine(
  home: Home,
  running: RunFile,
  log: (line: string) => void,
): Promise<void> {
  const sql = postgres(running.databaseUrl, {
    max: 1,
    connect_timeout: CONNECT_S_MAX,
    onnotice: () => {},
    connection: { statement_timeout: DEADLINE_MS },
  })
  try {
    const rows = await sql<{ reason: string; count: number; latest: Date }[]>`
      SELECT reason, count(*)::int, max(at) AS latest FROM tracking.set_aside GROUP BY reason ORDER BY latest DESC`
    for (const { reason, count, latest } of rows)
      log(`tracking.set_aside  ${latest.toISOString()}  ${count} × ${reason}`)
    log(`${rows.reduce((sum, { count }) => sum + count, 0)} points in quarantine.`)
  } catch (error) {
    log(
      `Points in quarantine: PostgreSQL does not answer (${error instanceof Error ? error.message : error}).`,
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
  const damaged = damagedLines(home)
  for (const { file, count } of damaged) log(`${file}  ${count} ${count === 1 ? 'line' : 'lines'}`)
  log(`${damaged.reduce((sum, { count }) => sum + count, 0)} damaged journal lines.`)
}

/** The journals of all copies of tracking are in the same folder. */
function damagedLines(home: Home): { file: string; count: number }[] {
  const parent = dirname(home.journal)
  return readdirSync(parent)
    .filter((name) => name === basename(home.journal) || name.startsWith(`${basename(home.journal)}-`))
    .flatMap((name) => {
      const file = join(parent, name, DAMAGED_FILE)
      const count = readIfThere(file)?.split('\n').filter(Boolean).length ?? 0
      return count > 0 ? [{ file, count }] : []
    })
}
