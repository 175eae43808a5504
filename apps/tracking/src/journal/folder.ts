import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from '@palanquin/files/durable'
import { isCode, isLine, readIfThere } from '@palanquin/files/read'
import type { Log } from '@palanquin/service/log'

/** The replay moves lines with a wrong checksum there. */
export const DAMAGED_FILE = 'damaged.log'
const SEQUENCE_DIGITS = 12
const SEGMENT_NAME = /^(\d{12})\.(log|kept)$/

/** `log`: to be replayed. `kept`: Redis had it when the process before ended, and PostgreSQL had not. */
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

const EPOCH_FILE = 'epoch'

/** Notes for the next process in which epoch Redis took the kept segments. On a full disk there is no note: all is replayed. */
export function leaveEpoch(folder: string, epoch: string): void {
  const file = join(folder, EPOCH_FILE)
  try {
    writeAtomically(file, epoch)
  } catch (error) {
    rmSync(file, { force: true })
    if (!isCode(error, 'ENOSPC')) throw error
  }
}

/** Reads and removes that note: after a crash it may be older than the segments. Null where there is none. */
export function takeEpoch(folder: string): string | null {
  const file = join(folder, EPOCH_FILE)
  if (!existsSync(file)) return null
  const epoch = readFileSync(file, 'utf8')
  rmSync(file)
  return epoch
}

/** The name of the instance that owns the folder, the same after every restart. Call it under the lock. */
export function instanceOf(folder: string, log: Log): string {
  const file = join(folder, 'instance')
  const kept = readIfThere(file)
  if (kept !== undefined && isLine(kept)) return kept.trim()
  const name = randomUUID()
  writeAtomically(file, name)
  if (kept !== undefined)
    log.warn(
      { event: 'journal.instance_renewed', file },
      'The name of this instance was unreadable and is replaced; its last flush lock must expire first',
    )
  return name
}
