import { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stopServer } from '@palanquin/embedded/server'
import { makeFolder, syncTree } from '@palanquin/files/durable'
import type { Home } from '../run-state/home.ts'

const STOP_GRACE_MS = 5_000

/**
 * Makes the folder of a home's objects. A home of an earlier version has them in an S3 server of its own: their names in
 * a database, their bytes under random names. They move into the folder, once; what an interruption left, at the next
 * start.
 */
export async function adoptObjects(home: Home): Promise<void> {
  makeFolder(home.objects, 0o700)
  const [before, pidFile] = [join(home.folder, 's3'), home.pidFile('s3')]
  const [names, bodies] = [join(before, 'objects.sqlite'), join(before, 'bodies')]
  if (!existsSync(names)) return
  const marker = `main.ts --data ${before}`
  await stopServer({ marker, pidFile, stopSignal: 'SIGTERM', stopGraceMs: STOP_GRACE_MS })
  const database = new Database(names)
  const rows = database.query<{ key: string; body: string }, []>('SELECT key, body FROM objects').all()
  database.close()
  for (const { key, body } of rows) {
    const [from, to] = [join(bodies, body), join(home.objects, key)]
    if (!existsSync(from)) continue // moved before the interruption
    makeFolder(dirname(to), 0o700)
    renameSync(from, to)
  }
  syncTree(home.objects)
  rmSync(bodies, { recursive: true, force: true }) // first: without the names they would stay for ever
  rmSync(before, { recursive: true })
}
