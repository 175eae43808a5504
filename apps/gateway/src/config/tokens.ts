import { type Environment, listOf } from '@palanquin/service/config'
import { secretWeakness } from '@palanquin/service/secret-rules'

/** The new one and the old one, while clients change over. */
const TOKENS_AT_ONCE_MAX = 2
/** Tokens by role, the newest first; a role without one cannot be used. */
export type Tokens = Record<'owner' | 'manager' | 'volunteer', readonly string[]>

/** Behind the brand: `EVENT_ADMIN_TOKEN`. Strongest first. */
export const TOKEN_VARIABLES = ['ADMIN_TOKEN', 'MANAGER_TOKEN', 'VOLUNTEER_TOKEN'] as const

const names = (brand: string) => {
  const prefix = brand.toUpperCase().replaceAll('-', '_')
  const [owner, manager, volunteer] = TOKEN_VARIABLES
  return {
    owner: `${prefix}_${owner}`,
    manager: `${prefix}_${manager}`,
    volunteer: `${prefix}_${volunteer}`,
  }
}

/** `<BRAND>_ADMIN_TOKEN` and the two others: one each, or `new,old` while a token is changed. */
export function readTokens(env: Environment, brand: string): Tokens {
  const { owner, manager, volunteer } = names(brand)
  return { owner: listOf(env[owner]), manager: listOf(env[manager]), volunteer: listOf(env[volunteer]) }
}

/**
 * The problems of these secrets, each of a `new,old` by itself. Anywhere: two that are equal (a volunteer would be an owner),
 * or that a header cannot carry. In production also: missing, short or sample ones, INTERNAL_TOKEN among them.
 */
export function secretProblems({
  env,
  brand,
  production,
}: {
  env: Environment
  brand: string
  production: boolean
}): string[] {
  const problems: string[] = []
  const seen = new Map<string, string>()
  for (const name of [...Object.values(names(brand)), 'INTERNAL_TOKEN']) {
    const secrets = listOf(env[name])
    if (secrets.length === 0 && production && name !== 'INTERNAL_TOKEN') problems.push(`${name} is missing`)
    if (secrets.length > TOKENS_AT_ONCE_MAX)
      problems.push(`${name} has ${secrets.length} values: at most ${TOKENS_AT_ONCE_MAX} by comma, new,old`)
    for (const secret of secrets) {
      const other = seen.get(secret)
      if (other) problems.push(`${name} is the same as ${other}: each needs its own value`)
      seen.set(secret, name)
      if (!/^[\x21-\x7e]+$/.test(secret)) problems.push(`${name} has characters that a header cannot carry`)
      if (production) problems.push(...secretWeakness(name, secret))
    }
  }
  return problems
}
