import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { capturedLog } from '@palanquin/testing/captured-log'
import { findPgBouncer, startPgBouncer } from '@palanquin/testing/pgbouncer'
import { testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { BY_KEY, connectDatabase } from './client.ts'
import { migrateDatabase } from './migrate.ts'
import { writeProbe } from './write-probe.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const program = await findPgBouncer()
const opened: { close: () => Promise<void> }[] = []
afterAll(async () => {
  for (const { close } of opened.reverse()) await close()
})

test.skipIf('problem' in program)(
  'a plain PgBouncer in transaction mode serves: migrations, settings, lists, many at once',
  async () => {
    if ('problem' in program) throw new Error(program.problem)
    const database = await testDatabase({ migrated: false })
    const { url, close } = await startPgBouncer(program, database.url)
    opened.push(database, { close })
    await Promise.all([migrateDatabase(url), migrateDatabase(url)])
    const captured = capturedLog()
    for (const settings of [{}, BY_KEY]) {
      const db = connectDatabase({ url, name: 'pooled', log: captured.log, settings })
      opened.push(db)
      const one = (n: number) =>
        db.query<{ n: number; texts: string[] }>('SELECT $1::int + 0 AS n, $2::text[] AS texts', [
          n,
          ['a', 'b"'],
        ])
      for (let round = 0; round < 20; round++) {
        const rows = await Promise.all(Array.from({ length: 16 }, (_, n) => one(n)))
        expect(rows.flat()).toEqual(Array.from({ length: 16 }, (_, n) => ({ n, texts: ['a', 'b"'] })))
      }
      const writes = writeProbe(db)
      await writes.run()
      await writes.ping()
    }
    const events = captured.lines.map(({ event }) => event)
    expect(events.filter((event) => event === 'postgres.pooled')).toHaveLength(2)
  },
)
