import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isCode } from './file.ts'

const RETRY_MS = 25
const WAIT_MS_MAX = 120_000 // longer than a first start with its downloads on a slow line

/**
 * Runs `work` while no other process holds the lock `file`. The lock is SQLite's: the kernel lets go of it
 * when its holder dies, kill -9 included, so there is never a stale one to judge.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true })
  const database = new Database(file)
  try {
    await acquire(database, file)
    return await work()
  } finally {
    database.close()
  }
}

async function acquire(database: Database, file: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX
  for (;;) {
    try {
      database.run('BEGIN EXCLUSIVE')
      return
    } catch (error) {
      if (!isCode(error, 'SQLITE_BUSY')) throw error
    }
    if (Date.now() > deadline)
      throw new Error(`Another process has held ${file} for two minutes: end it and try again.`)
    await Bun.sleep(RETRY_MS)
  }
}
