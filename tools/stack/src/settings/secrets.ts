import { keepSecret, readIfThere, writeAtomically } from '@palanquin/embedded/file'
import type { Home } from '../run-state/home.ts'
import { type Settings, tokenVariables } from './settings.ts'

export type Tokens = { owner: string; manager: string; volunteer: string }

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
    pseudonymSecret: pseudonymSecret(home, settings),
  }
}

const pseudonymFile = (home: Home): string => home.secret('pseudonym-secret')

/** The key of the pseudonyms that a home had when it was last up; undefined where it never was. */
export const keptPseudonymSecret = (home: Home): string | undefined =>
  readIfThere(pseudonymFile(home))?.trim() || undefined

/**
 * Keeps the one that a stack runs with for a backup, and for a start from a shell that does not have it. The one before is
 * kept beside it: who changed it without knowing what follows can go back.
 */
export function keepPseudonymSecret(home: Home, secret: string): void {
  const before = keptPseudonymSecret(home)
  if (before === secret) return
  if (before !== undefined) writeAtomically(`${pseudonymFile(home)}-before`, `${before}\n`)
  writeAtomically(pseudonymFile(home), `${secret}\n`)
}

/** Whether everybody on the public map will have another pseudonym than when this home was last up. */
export function pseudonymsChange(home: Home, { PSEUDONYM_SECRET: set }: Settings): boolean {
  const kept = keptPseudonymSecret(home)
  return kept !== undefined && set !== undefined && set.trim() !== kept
}

const pseudonymSecret = (home: Home, { PSEUDONYM_SECRET }: Settings): string =>
  PSEUDONYM_SECRET?.trim() || keepSecret(pseudonymFile(home))

/** The one to be used from now on. */
export const newest = (tokens: string): string => tokens.split(',')[0]?.trim() ?? ''

/** As a shell takes it literally. */
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
