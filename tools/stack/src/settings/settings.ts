import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere } from '@palanquin/embedded/file'
import type { Environment } from '@palanquin/service/config'
import { LauncherError } from '../launcher-error.ts'

/** Environment variables by name; one that is not set, or empty, is left out. */
export type Settings = Readonly<Record<string, string>>

/**
 * What a person set: the environment first, then `.env` in the project's folder, or the file that SETTINGS_FILE names. An
 * empty value counts as not set; in the environment it also undoes what the file says.
 * @throws LauncherError when the file that SETTINGS_FILE names is not there
 */
export function readSettings(projectRoot: string, environment: Environment): Settings {
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...fileFor(projectRoot, environment), ...environment }))
    if (value) settings[name] = value
  return settings
}

/**
 * The settings file and its text; an empty one where there is no `.env`.
 * @throws LauncherError when it is there and cannot be read, or SETTINGS_FILE names none
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

/** Editors of Windows begin files with it, and the first name would have it. */
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

/** Every variable that can be set, the tokens under the brand that is set. */
export function knownSettings(projectRoot: string, environment: Environment): string[] {
  const tokens = Object.values(tokenVariables({}))
  const branded = Object.values(tokenVariables(readSettings(projectRoot, environment)))
  const others = sampleNames(projectRoot).filter((name) => !tokens.includes(name))
  return [...others, ...branded, 'SETTINGS_FILE', 'BUILD_COMMIT']
}

/** Every variable that can be set, with nothing: a stack brought up with this takes all defaults. */
export function noSettings(projectRoot: string): Record<string, string> {
  const names = [...sampleNames(projectRoot), ...Object.keys(fileFor(projectRoot, {}))]
  return Object.fromEntries(names.map((name) => [name, '']))
}

/** The brand of the event: it stands in the path prefix and in the names of the token variables. */
export const brandOf = (settings: Settings): string => settings.EVENT_BRAND ?? 'event'

/** What the names of the token variables begin with: `WHITE_SAND` for the brand `white-sand`. */
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
