import { keepSecret, readIfThere, writeAtomically } from '@palanquin/embedded/file'
import type { Home } from '../run-state/home.ts'
import { type Settings, tokenVariables } from './settings.ts'

export type Tokens = { owner: string; manager: string; volunteer: string }

/** `tokens` as configured: `new,old` during a rotation. */
export type Secrets = { tokens: Tokens; internalToken: string; pseudonymSecret: string }

/**
 * The secrets of a home: configured ones, else those made at the first start and kept (48 hex digits, mode
 * 600). The three tokens are also written to a file that a shell can source.
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

/** The pseudonym key that the home last ran with; undefined where it never ran. */
export const keptPseudonymSecret = (home: Home): string | undefined =>
  readIfThere(pseudonymFile(home))?.trim() || undefined

/**
 * Keeps the key of the running stack for backups, and for starts from a shell without it. The previous one
 * is kept beside it, so that an accidental change can be undone.
 */
export function keepPseudonymSecret(home: Home, secret: string): void {
  const before = keptPseudonymSecret(home)
  if (before === secret) return
  if (before !== undefined) writeAtomically(`${pseudonymFile(home)}-before`, `${before}\n`)
  writeAtomically(pseudonymFile(home), `${secret}\n`)
}

/** Whether every participant on the public map will get another pseudonym than before. */
export function pseudonymsChange(home: Home, { PSEUDONYM_SECRET: set }: Settings): boolean {
  const kept = keptPseudonymSecret(home)
  return kept !== undefined && set !== undefined && set.trim() !== kept
}

const pseudonymSecret = (home: Home, { PSEUDONYM_SECRET }: Settings): string =>
  PSEUDONYM_SECRET?.trim() || keepSecret(pseudonymFile(home))

/** The token to use from now on. */
export const newest = (tokens: string): string => tokens.split(',')[0]?.trim() ?? ''

/** Quoted for a shell. */
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
