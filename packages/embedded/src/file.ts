import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const SECRET_BYTES = 24 // 192 bits: beyond guessing, and 48 hex digits still fit on a line

/** The text of a file, or undefined when there is no such file. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Writes a private file (mode 600) so that a reader, or a crash, sees the old text or the new one. */
export function writeAtomically(file: string, text: string): void {
  const draft = draftOf(file, text)
  renameSync(draft, file)
}

/** The secret kept in `file` (hex); made there once, also when two processes ask at the same time. */
export function keepSecret(file: string): string {
  const kept = readIfThere(file)?.trim()
  if (kept) return kept
  const draft = draftOf(file, `${randomBytes(SECRET_BYTES).toString('hex')}\n`)
  try {
    linkSync(draft, file) // unlike a rename, a link never replaces what another process put there first
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(file, 'utf8').trim()
}

/** Whether a system call failed with this code, `ENOENT` for instance. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function draftOf(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    rmSync(draft, { force: true }) // a full disk leaves it empty, once for each try
    throw error
  }
  return draft
}
