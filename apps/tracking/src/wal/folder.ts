import { Database } from 'bun:sqlite'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, sweepDrafts, writeAtomically } from '@palanquin/files/durable'
import { isCode, isLine, readIfThere } from '@palanquin/files/read'
import type { Log } from '@palanquin/service/log'

/** Where the replay puts lines whose sum is wrong. */
export const DAMAGED_FILE = 'damaged.log'
const SEQUENCE_DIGITS = 12
const SEGMENT_NAME = /^(\d{12})\.(log|kept)$/
const LOCK_RETRY_MS = 50
/** In a rolling restart the old process still drains: up to 9 s (packages/service, run), and some. */
const LOCK_WAIT_MS_MAX = 12_000

/** `log`: what Redis is still to take. `kept`: what it had when the process before ended, and PostgreSQL had not. */
export const segmentPath = (folder: string, sequence: number, kind: 'log' | 'kept' = 'log'): string =>
  join(folder, `${String(sequence).padStart(SEQUENCE_DIGITS, '0')}.${kind}`)

/** A segment file that an earlier process left. */
export type FoundSegment = {
  sequence: number
  path: string
  isKept: boolean
  bytes: number
  modifiedAt: number
}

/** The segments in a folder, oldest first. */
export function findSegments(folder: string): FoundSegment[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, sequence, kind] = SEGMENT_NAME.exec(name) ?? []
      if (sequence === undefined) return []
      const path = join(folder, name)
      const { size, mtimeMs } = statSync(path)
      return [{ sequence: Number(sequence), path, isKept: kind === 'kept', bytes: size, modifiedAt: mtimeMs }]
    })
    .sort((a, b) => a.sequence - b.sequence)
}

export type FolderLock = { release: () => void }

/**
 * Makes the folder this process's own, rid of what a crash left half-written. The lock is SQLite's, that is the kernel's: it goes with its holder, kill -9
 * included, so there is never a stale one to judge.
 * @throws Error with a sentence for the operator when another process holds it for longer than a restart takes
 */
export async function lockFolder(folder: string, waitMs = LOCK_WAIT_MS_MAX): Promise<FolderLock> {
  makeFolder(folder, 0o700)
  const database = new Database(join(folder, 'lock'))
  const deadline = performance.now() + waitMs
  for (;;) {
    try {
      database.run('BEGIN EXCLUSIVE')
      sweepDrafts(folder)
      return { release: () => database.close() }
    } catch (error) {
      if (!isCode(error, 'SQLITE_BUSY')) throw error
    }
    if (performance.now() > deadline) {
      database.close()
      throw new Error(
        `Another process uses the journal folder ${folder}: give each instance its own JOURNAL_DIR.`,
      )
    }
    await Bun.sleep(LOCK_RETRY_MS)
  }
}

const EPOCH_FILE = 'lives'

/**
 * Leaves word to the next process of which Redis the kept segments were taken by. A full disk takes no word, or a part of
 * it: then none is left, and all is replayed.
 */
export function leaveEpoch(folder: string, epoch: string): void {
  const file = join(folder, EPOCH_FILE)
  try {
    writeAtomically(file, epoch)
  } catch (error) {
    rmSync(file, { force: true })
    if (!isCode(error, 'ENOSPC')) throw error
  }
}

/** That word, once: what is found after a crash may be older than the segments. Null where there is none. */
export function takeEpoch(folder: string): string | null {
  const file = join(folder, EPOCH_FILE)
  if (!existsSync(file)) return null
  const epoch = readFileSync(file, 'utf8')
  rmSync(file)
  return epoch
}

/** The name of the instance that this folder belongs to, the same after every restart. Call it under the lock. */
export function instanceOf(folder: string, log: Log): string {
  const file = join(folder, 'instance')
  const kept = readIfThere(file)
  if (kept !== undefined && isLine(kept)) return kept.trim()
  const name = randomUUID()
  writeAtomically(file, name)
  if (kept !== undefined)
    log.warn(
      { event: 'journal.instance_renewed', file },
      'the name of this instance could not be read and is a new one: a flush that was under way is waited for',
    )
  return name
}
