import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readIfThere } from '@palanquin/embedded/file'
import { LauncherError } from './launcher-error.ts'

/** Environment variables by name; one that is not set, or empty, is left out. */
export type Settings = Readonly<Record<string, string>>

/**
 * What a person set: the environment first, then `.env` in the project's folder, or the file that SETTINGS_FILE names. An
 * empty value counts as not set; in the environment it also undoes what the file says.
 * @throws LauncherError when the file that SETTINGS_FILE names is not there
 */
export function readSettings(projectRoot: string, environment: Record<string, string | undefined>): Settings {
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...fileFor(projectRoot, environment), ...environment }))
    if (value) settings[name] = value
  return settings
}

function fileFor(
  projectRoot: string,
  { SETTINGS_FILE }: Record<string, string | undefined>,
): NodeJS.Dict<string> {
  if (!SETTINGS_FILE) return settingsFile(projectRoot)
  const text = readIfThere(SETTINGS_FILE)
  if (text === undefined) throw new LauncherError(`SETTINGS_FILE=${SETTINGS_FILE}: there is no such file.`)
  return parseEnv(text)
}

const settingsFile = (projectRoot: string) => parseEnv(readIfThere(join(projectRoot, '.env')) ?? '')

/** Every variable that can be set, with nothing: a stack brought up with this takes all defaults. */
export function noSettings(projectRoot: string): Record<string, string> {
  const sample = readIfThere(join(projectRoot, '.env.example')) ?? ''
  const names = [...sample.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].flatMap(([, name]) => name ?? [])
  return Object.fromEntries([...names, ...Object.keys(settingsFile(projectRoot))].map((name) => [name, '']))
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
