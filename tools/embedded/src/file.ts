import { randomBytes } from 'node:crypto'
import { linkSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder, writeDraft } from '@palanquin/files/durable'
import { isCode, isLine, readIfThere } from '@palanquin/files/read'

export { writeAtomically } from '@palanquin/files/durable'
export { isCode, readIfThere } from '@palanquin/files/read'

const SECRET_BYTES = 24 // 192 bits: beyond guessing, and 48 hex digits still fit on a line

/** The secret kept in `file` (hex), created once, even by two processes at the same time. */
export function keepSecret(file: string): string {
  const kept = readIfThere(file)
  if (kept !== undefined) return secretIn(file, kept)
  const draft = writeDraft(file, `${newSecret()}\n`)
  try {
    linkSync(draft, file) // unlike a rename, a link never replaces what another process put there first
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(dirname(file))
  return secretIn(file, readIfThere(file) ?? '')
}

/** Unguessable hex digits. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

function secretIn(file: string, text: string): string {
  if (isLine(text)) return text.trim()
  throw new Error(`${file} contains no secret: remove it, and the next start makes another.`)
}
