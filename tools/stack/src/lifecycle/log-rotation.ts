import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isCode } from '@palanquin/files/read'
import { LauncherError } from '../launcher-error.ts'
import type { Settings } from '../settings/settings.ts'

const BYTES_MAX = 67_108_864
const CHECK_MS = 1_000
const CHUNK_BYTES = 1_048_576

/** The generation before a log file. */
export const previousLog = (file: string): string => `${file}.1`

/**
 * Size at which a log file is rotated (LOG_BYTES_MAX).
 * @throws LauncherError when it is not a number of bytes
 */
export function logBytesMax({ LOG_BYTES_MAX = `${BYTES_MAX}` }: Settings): number {
  if (/^[1-9]\d{3,14}$/.test(LOG_BYTES_MAX)) return Number(LOG_BYTES_MAX)
  throw new LauncherError(`LOG_BYTES_MAX=${LOG_BYTES_MAX}: expected a number of bytes, 1000 or more.`)
}

/** Keeps every log file of a folder below a size; returns how to end that. `log` gets what went wrong. */
export function rotateRegularly(folder: string, bytesMax: number, log: (line: string) => void): () => void {
  const timer = setInterval(() => {
    try {
      rotateLogs(folder, bytesMax)
    } catch (error) {
      log(`a log could not be rotated: ${error instanceof Error ? error.message : error}`)
    }
  }, CHECK_MS)
  return () => clearInterval(timer)
}

/** Rotates the log files of a folder that have reached a size. */
export function rotateLogs(folder: string, bytesMax: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (name.endsWith('.log') && statSync(file).size >= bytesMax) rotate(file)
  }
}

/**
 * Copies a log and cuts it, since its writers hold it open and append. What is written between the last read
 * and the cut, some microseconds, is lost, and the copy's last line may be half. On a full disk the log is cut
 * without a copy.
 */
function rotate(file: string): void {
  const copy = `${file}.new`
  const source = openSync(file, 'r+')
  try {
    rmSync(previousLog(file), { force: true }) // its space is needed for the copy
    const isWhole = copyTo(copy, source)
    ftruncateSync(source, 0)
    if (isWhole) renameSync(copy, previousLog(file))
    else rmSync(copy, { force: true })
  } finally {
    closeSync(source)
  }
}

/** False when there is no space for it. */
function copyTo(copy: string, source: number): boolean {
  const target = openSync(copy, 'w', 0o600)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  try {
    for (let at = 0; ; ) {
      const bytes = readSync(source, chunk, 0, CHUNK_BYTES, at)
      if (bytes === 0) return true
      writeFileSync(target, chunk.subarray(0, bytes))
      at += bytes
    }
  } catch (error) {
    if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT')) return false
    throw error
  } finally {
    closeSync(target)
  }
}
