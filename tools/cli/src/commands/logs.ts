import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { homeAt } from '@palanquin/stack/run-state/home'
import { HOME_FLAG, homeFolder, readArguments, usageError, wholeNumber } from '../arguments.ts'
import { LogFile } from '../log-file.ts'
import { readable } from '../log-line.ts'

const FLAGS = {
  ...HOME_FLAG,
  follow: { type: 'boolean', short: 'f' },
  lines: { type: 'string', short: 'n' },
} as const
const LINES = { minimum: 0, maximum: 1_000_000, fallback: 40 }
const POLL_MS = 200
const NAME_WIDTH = 12

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
  const logs = names.map((log) => ({ log, file: new LogFile(home.logFile(log)) }))
  for (const { log, file } of logs) for (const line of file.last(count)) show(log, line)
  while (values.follow) {
    for (const { log, file } of logs) for (const line of file.next()) show(log, line)
    await Bun.sleep(POLL_MS)
  }
  return 0
}
