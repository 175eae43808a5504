import { keepSecret, writeAtomically } from '@palanquin/embedded/file'
import type { Home } from './home.ts'
import type { Tokens } from './run-file.ts'
import { type Settings, tokenVariables } from './settings.ts'

/** `tokens` as the settings have them: `new,old` while one is changed. */
export type Secrets = { tokens: Tokens; internalToken: string; pseudonymSecret: string }

/**
 * The secrets of a home: those that a person set, else ones made at the first start and kept (48 hex digits,
 * mode 600). The three tokens are also written as a file that a shell can read.
 */
export function openSecrets(home: Home, settings: Settings): Secrets {
  const variables = tokenVariables(settings)
  const secret = (variable: string, name: string) => settings[variable] ?? keepSecret(home.secret(name))
  const tokens = {
    owner: secret(variables.owner, 'owner-token'),
    manager: secret(variables.manager, 'manager-token'),
    volunteer: secret(variables.volunteer, 'volunteer-token'),
  }
  const lines = [
    `${variables.owner}=${quoted(newest(tokens.owner))}`,
    `${variables.manager}=${quoted(newest(tokens.manager))}`,
    `${variables.volunteer}=${quoted(newest(tokens.volunteer))}`,
  ]
  writeAtomically(home.tokensFile, `${lines.join('\n')}\n`)
  return {
    tokens,
    internalToken: secret('INTERNAL_TOKEN', 'internal-token'),
    pseudonymSecret: secret('PSEUDONYM_SECRET', 'pseudonym-secret'),
  }
}

/** The one to be used from now on. */
export const newest = (tokens: string): string => tokens.split(',')[0]?.trim() ?? ''

/** As a shell takes it literally. */
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
