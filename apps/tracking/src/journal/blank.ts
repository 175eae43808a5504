import { existsSync, readFileSync } from 'node:fs'
import { writeAtomically } from '@palanquin/files/durable'
import { decodeLines, encodeLine } from './line.ts'

/** The entry in place of an erased one: the lines behind it keep their indexes. */
export const BLANK_JSON = 'null'
const BLANK_LINE = encodeLine(BLANK_JSON)

/** Whether a line is void. A damaged one is given as it was read. */
export type IsVoid = (text: string, state: { damaged: boolean }) => boolean

/**
 * Blanks the void lines of a sealed segment: a new file replaces it in one step, so a crash leaves either.
 * Returns the indexes and the new size; null when there was nothing to blank.
 */
export function blankLines(path: string, isVoid: IsVoid): { indexes: number[]; bytes: number } | null {
  if (!existsSync(path)) return null
  const { lines } = decodeLines(readFileSync(path, 'utf8'))
  const indexes: number[] = []
  const kept = lines.map((line, index) => {
    const isBlank =
      'json' in line ? isVoid(line.json, { damaged: false }) : isVoid(line.damaged, { damaged: true })
    if (isBlank) indexes.push(index)
    if (isBlank) return BLANK_LINE
    return 'json' in line ? encodeLine(line.json) : `${line.damaged}\n`
  })
  if (indexes.length === 0) return null
  return { indexes, bytes: replaceFile(path, kept.join('')) }
}

/** Removes void lines from the file to which damaged lines are moved. */
export function dropDamaged(path: string, isVoid: IsVoid): void {
  if (!existsSync(path)) return
  const lines = readFileSync(path, 'utf8').split('\n')
  const kept = lines.filter((line) => !isVoid(line, { damaged: true }))
  if (kept.length < lines.length) replaceFile(path, kept.join('\n'))
}

function replaceFile(path: string, text: string): number {
  const bytes = Buffer.from(text)
  writeAtomically(path, bytes)
  return bytes.length
}
