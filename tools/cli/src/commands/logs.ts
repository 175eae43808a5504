import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { homeAt } from '@palanquin/stack/run-state/home'
import { HOME_FLAG, homeFolder, readArguments, usageError, wholeNumber } from '../arguments.ts'
import { readable } from '../log-line.ts'

const FLAGS = {
  ...HOME_FLAG,
  follow: { type: 'boolean', short: 'f' },
  lines: { type: 'string', short: 'n' },
} as const
const LINES = { minimum: 0, maximum: 1_000_000, fallback: 40 }
const POLL_MS = 200
const NAME_WIDTH = 12
/** Only the end of a huge log is read. */
const TAIL_BYTES_MAX = 8 * 1024 * 1024

/** `logs [name] [-f]`: the last lines of one log or of all; with -f also new ones. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('logs', args, { flags: FLAGS, positionalsMax: 1 })
  const home = homeAt(homeFolder(values.home))
  const count = wholeNumber('logs', 'lines', values.lines, LINES)
  const known = existsSync(home.logs)
    ? readdirSync(home.logs).flatMap((file) => (file.endsWith('.log') ? [basename(file, '.log')] : []))
    : []
  const [name] = positionals
  if (name !== undefined && !known.includes(name))
    throw usageError(
      'logs',
      `There is no log of '${name}'${known.length > 0 ? `; there are ${known.sort().join(', ')}` : ''}.`,
    )
  const names = name === undefined ? known.sort() : [name]
  if (names.length === 0) console.log(`There are no logs in ${home.logs} yet.`)

  const show = (log: string, line: string) => {
    const prefix = names.length > 1 ? `${log.padEnd(NAME_WIDTH)} ` : ''
    const text = line.replaceAll('\0', '') // a power cut leaves zeros where a log was not yet on the disk
    console.log(prefix + (process.stdout.isTTY ? readable(text) : text))
  }
  const offsets = new Map<string, number>()
  for (const log of names) {
    const file = home.logFile(log)
    const size = statSync(file).size
    const lines = read(file, Math.max(0, size - TAIL_BYTES_MAX), size)
      .split('\n')
      .slice(0, -1)
    for (const line of count === 0 ? [] : lines.slice(-count)) show(log, line)
    offsets.set(log, size)
  }
  while (values.follow) {
    for (const log of names) follow(home.logFile(log), log, offsets, (line) => show(log, line))
    await Bun.sleep(POLL_MS)
  }
  return 0
}

function follow(file: string, log: string, offsets: Map<string, number>, show: (line: string) => void): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const seen = offsets.get(log) ?? 0
  const from = size < seen ? 0 : seen // shorter than before: it was rotated
  const text = read(file, from, size)
  const whole = text.lastIndexOf('\n') + 1
  for (const line of text.slice(0, whole).split('\n').slice(0, -1)) show(line)
  offsets.set(log, from + Buffer.byteLength(text.slice(0, whole)))
}

function read(file: string, from: number, to: number): string {
  if (to <= from) return ''
  const bytes = Buffer.alloc(to - from)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, from))
  } finally {
    closeSync(descriptor)
  }
}
