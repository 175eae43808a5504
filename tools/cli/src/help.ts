import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const USAGE = fileURLToPath(new URL('usage.txt', import.meta.url))
const EVERYWHERE = 'Everywhere'

/** The whole help text. */
export const usage = (): string => readFileSync(USAGE, 'utf8')

/** The help of one command and the global flags; undefined for an unknown command. */
export function helpOf(command: string, text = usage()): string | undefined {
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => isOf(command, line))
  if (begin < 0) return undefined
  const length = lines.slice(begin + 1).findIndex((line) => !isContinued(line))
  const [first = '', ...rest] = lines.slice(begin, length < 0 ? undefined : begin + 1 + length)
  const everywhere = lines.slice(lines.indexOf(EVERYWHERE) + 1)
  return `./palanquin ${[first, ...rest].map((line) => line.slice(INDENT)).join('\n')}\n\n${everywhere.join('\n')}`
}

/** Indentation of the line that names a command. */
const INDENT = 2
const isOf = (command: string, line: string): boolean =>
  line.slice(0, INDENT).trim() === '' && line.slice(INDENT).split(' ')[0] === command
const isContinued = (line: string): boolean => /^ {3}/.test(line)
