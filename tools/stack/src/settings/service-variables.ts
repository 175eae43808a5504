import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LauncherError } from '../launcher-error.ts'
import { type Settings, tokenPrefix } from './settings.ts'

const SCRIPT = fileURLToPath(new URL('print-variables.ts', import.meta.url))
/** Stored beside the bundle. */
const FILE = 'variables.json'

/** What the runtime and its libraries read themselves; nothing here is a secret. */
const OF_THE_RUNTIME = [
  'BUN_CONFIG_MAX_HTTP_REQUESTS',
  'BUN_JSC_useWarmUpMarkedBlocks',
  'LANG',
  'MIMALLOC_PURGE_DELAY',
  'MIMALLOC_PURGE_HOLES_MIN_INTERVAL',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TMPDIR',
  'TZ',
]
/** Calls to LINE may need a proxy, whose URL may hold a password. */
const OF_CALLS_OUTSIDE = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']
const CALLS_OUTSIDE = ['LINE_API_BASE', 'LINE_LOGIN_BASE']

/**
 * The names of the variables that the process of `entry` (`main.ts`) reads, from the `config.ts` beside it.
 * @throws LauncherError when they cannot be read
 */
export async function readVariables(entry: string): Promise<readonly string[]> {
  const config = entry.replace(/main\.ts$/, 'config.ts')
  const child = Bun.spawn([process.execPath, '--no-env-file', SCRIPT, config], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [names, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode === 0) return namesIn(names)
  throw new LauncherError(`${config} does not say which variables it reads: ${problems.trim()}`)
}

/** Stores them beside the bundle, so that the next start need not evaluate the config. */
export const keepVariables = (folder: string, names: readonly string[]): void =>
  writeFileSync(join(folder, FILE), JSON.stringify(names))

/** The stored names. */
export const keptVariables = (folder: string): readonly string[] =>
  namesIn(readFileSync(join(folder, FILE), 'utf8'))

function namesIn(json: string): readonly string[] {
  const names: unknown = JSON.parse(json)
  if (Array.isArray(names)) return names.map(String)
  throw new Error('a list of names was expected')
}

/**
 * The part of `all` that a process reading `names` gets: no other process's secrets, nor anything else of
 * the caller.
 */
export function environmentFor(names: readonly string[], all: Settings): Settings {
  const own = names.map((name) => name.replace('<BRAND>', tokenPrefix(all)))
  const outside = names.some((name) => CALLS_OUTSIDE.includes(name)) ? OF_CALLS_OUTSIDE : []
  const given: Record<string, string> = {}
  for (const name of [...own, ...OF_THE_RUNTIME, ...outside]) {
    const value = all[name]
    if (value !== undefined) given[name] = value
  }
  return given
}
