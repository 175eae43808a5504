import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { PROJECT_ROOT } from '@palanquin/stack/project'

/** A usage error, as shells know it. */
const USAGE_EXIT_CODE = 2

export const HOME_FLAG = { home: { type: 'string' } } as const satisfies ParseArgsOptionsConfig

/**
 * Reads a command's flags and up to `positionalsMax` words.
 * @throws LauncherError (exit 2) about the first wrong argument
 */
export function readArguments<T extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  { flags, positionalsMax = 0 }: { flags: T; positionalsMax?: number },
) {
  const parsed = parse(command, args, flags)
  const surplus = parsed.positionals[positionalsMax]
  if (surplus !== undefined) throw usageError(command, `${surplus} is an unexpected argument of ${command}.`)
  // `--home=$UNSET` would otherwise mean the current folder.
  for (const [name, value] of Object.entries(parsed.values))
    if (value === '') throw usageError(command, `--${name} is given without a value.`)
  return parsed
}

function parse<T extends ParseArgsOptionsConfig>(command: string, args: readonly string[], flags: T) {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true, strict: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [sentence] = error.message.split(/\. To specify|\n/)
    throw usageError(command, `${sentence?.replace(/\.$/, '')}.`)
  }
}

/** A usage error that points to the command's help. */
export const usageError = (command: string, sentence: string): LauncherError =>
  new LauncherError(`${sentence} See ./palanquin ${command} --help.`, USAGE_EXIT_CODE)

/** A whole number within bounds, or the default when the flag was left out. */
export function wholeNumber(
  command: string,
  name: string,
  text: string | undefined,
  { minimum, maximum, fallback }: { minimum: number; maximum: number; fallback: number },
): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value
  throw usageError(command, `--${name} takes a whole number from ${minimum} to ${maximum}, not '${text}'.`)
}

/**
 * The absolute folder of `--home`: relative to the caller's folder when given, else the project's own. Links
 * are resolved: processes are found by this path, so it must have one spelling.
 */
export const homeFolder = (home: string | undefined): string =>
  realPath(home === undefined ? resolve(PROJECT_ROOT, '.palanquin') : resolve(home))

/** A path without links, as far as it exists. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path))
}
