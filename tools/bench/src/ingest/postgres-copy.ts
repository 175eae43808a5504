import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'

export type Copier = {
  /** The program that copies rows: `psql`, or this driver where there is none. */
  by: string
  /** Writes the rows of a query to the file that `load` reads. */
  unload: (query: string) => Promise<void>
  /** Copies those rows into a table; returns the milliseconds. */
  load: (table: string) => Promise<number>
  close: () => void
}

/** COPY is PostgreSQL's fastest way: `psql \copy` where there is a psql, else COPY through postgres.js. */
export function copier(databaseUrl: string): Copier {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-copy-'))
  const file = join(folder, 'rows')
  const psql = Bun.which('psql', { PATH: process.env.PATH ?? '' })
  /** postgres.js does not return a connection that has copied (3.4.9, measured). */
  const alone = async (work: (sql: postgres.Sql) => Promise<unknown>): Promise<number> => {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    try {
      await sql`SELECT 1`
      const startedMs = performance.now()
      await work(sql)
      return performance.now() - startedMs
    } finally {
      await sql.end({ timeout: 0 })
    }
  }
  return {
    by: psql ? 'psql \\copy' : 'COPY through postgres.js (there is no psql here)',
    unload: async (query) => {
      await alone(async (sql) =>
        pipeline(await sql.unsafe(`COPY (${query}) TO STDOUT`).readable(), createWriteStream(file)),
      )
    },
    load: async (table) =>
      psql
        ? byPsql(psql, databaseUrl, `\\copy ${table} FROM '${file}'`)
        : alone(async (sql) =>
            pipeline(createReadStream(file), await sql.unsafe(`COPY ${table} FROM STDIN`).writable()),
          ),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Measured by psql itself, without its start. */
async function byPsql(psql: string, databaseUrl: string, command: string): Promise<number> {
  const child = Bun.spawn(
    [psql, '-X', '-v', 'ON_ERROR_STOP=1', '-c', '\\timing on', '-c', command, databaseUrl],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [text, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const tookMs = Number(/Time: ([\d.]+) ms/.exec(text)?.[1])
  if (code !== 0 || !(tookMs > 0)) throw new Error(`psql ended with ${code}: ${problem}`)
  return tookMs
}
