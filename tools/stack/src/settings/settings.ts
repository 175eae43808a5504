import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere } from '@palanquin/embedded/file'
import type { Environment } from '@palanquin/service/config'
import { LauncherError } from '../launcher-error.ts'

/** Environment variables by name, without unset and empty ones. */
export type Settings = Readonly<Record<string, string>>

/**
 * The user's settings: the environment, then `.env` in the project's folder or the file named by
 * SETTINGS_FILE. An empty value counts as unset; in the environment it also overrides the file.
 * @throws LauncherError when the file of SETTINGS_FILE is missing
 */
export function readSettings(projectRoot: string, environment: Environment): Settings {
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...fileFor(projectRoot, environment), ...environment }))
    if (value) settings[name] = value
  return settings
}

/**
 * The settings file and its text, empty where there is no `.env`.
 * @throws LauncherError when it cannot be read, or SETTINGS_FILE names none
 */
export function settingsFileOf(
  projectRoot: string,
  { SETTINGS_FILE }: Environment,
): { file: string; text: string } {
  const file = SETTINGS_FILE || join(projectRoot, '.env')
  const text = readable(file)
  if (text === undefined && SETTINGS_FILE)
    throw new LauncherError(`SETTINGS_FILE=${SETTINGS_FILE}: there is no such file.`)
  return { file: SETTINGS_FILE || '.env', text: (text ?? '').replace(BYTE_ORDER_MARK, '') }
}

/** Windows editors write it first, and the first name would contain it. */
const BYTE_ORDER_MARK = /^\uFEFF/

function readable(file: string): string | undefined {
  try {
    return readIfThere(file)
  } catch (error) {
    throw new LauncherError(`${file} cannot be read: ${error instanceof Error ? error.message : error}.`)
  }
}

const fileFor = (projectRoot: string, environment: Environment): NodeJS.Dict<string> =>
  parseEnv(settingsFileOf(projectRoot, environment).text)

/** Every variable that .env.example names. */
function sampleNames(projectRoot: string): string[] {
  const sample = readIfThere(join(projectRoot, '.env.example')) ?? ''
  return [...sample.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].flatMap(([, name]) => name ?? [])
}

/** Every variable that can be set, with the tokens under the configured brand. */
export function knownSettings(projectRoot: string, environment: Environment): string[] {
  const tokens = Object.values(tokenVariables({}))
  const branded = Object.values(tokenVariables(readSettings(projectRoot, environment)))
  const others = sampleNames(projectRoot).filter((name) => !tokens.includes(name))
  return [...others, ...branded, 'SETTINGS_FILE', 'BUILD_COMMIT']
}

/** Every variable, with an empty value: a stack started with these uses all defaults. */
export function noSettings(projectRoot: string): Record<string, string> {
  const names = [...sampleNames(projectRoot), ...Object.keys(fileFor(projectRoot, {}))]
  return Object.fromEntries(names.map((name) => [name, '']))
}

/** The brand of the event, part of the path prefix and of the names of the token variables. */
export const brandOf = (settings: Settings): string => settings.EVENT_BRAND ?? 'event'

/** The prefix of the token variables: `WHITE_SAND` for the brand `white-sand`. */
export const tokenPrefix = (settings: Settings): string =>
  brandOf(settings).toUpperCase().replaceAll('-', '_')

/** The environment variables of the three tokens, strongest first; the brand renames them (contract, section 1). */
export function tokenVariables(settings: Settings): Record<'owner' | 'manager' | 'volunteer', string> {
  const prefix = tokenPrefix(settings)
  return {
    owner: `${prefix}_ADMIN_TOKEN`,
    manager: `${prefix}_MANAGER_TOKEN`,
    volunteer: `${prefix}_VOLUNTEER_TOKEN`,
  }
}
