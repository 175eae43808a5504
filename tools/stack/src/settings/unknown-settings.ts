import type { Environment } from '@palanquin/service/config'
import { editDistance } from './edit-distance.ts'
import { knownSettings, settingsFileOf } from './settings.ts'

/** Names for docker compose and the runtime, which may be in the same file. */
const OF_OTHERS = /^(?:COMPOSE_|DOCKER_|BUN_|MIMALLOC_|NODE_|SSL_CERT_|TZ$|LANG$|LC_|(?:HTTPS?|NO)_PROXY$)/i
/** Up to this distance a name is taken for a typing error. */
const EDITS_MAX = 3
/** Enough to see that a file is something else entirely. */
const SENTENCES_MAX = 10
const NAME = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/
/** A quoted value may span lines and hold anything. */
const QUOTED_VALUE = /=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)/g

/**
 * Reports settings that nothing reads: unknown names in the settings file, lines that are no setting, and
 * unknown environment variables with our prefixes (`EVENT_…`).
 */
export function unknownSettings(projectRoot: string, environment: Environment): string[] {
  const { file, text } = settingsFileOf(projectRoot, environment)
  const known = knownSettings(projectRoot, environment)
  const isUnknown = (name: string) => !known.includes(name) && !OF_OTHERS.test(name)
  const lines = text.replace(QUOTED_VALUE, '=').split('\n')
  const said = lines.flatMap((line) => {
    const name = NAME.exec(line)?.[1]
    if (name === undefined)
      return /^\s*(?:#|$)/.test(line)
        ? []
        : [`${file}: this line is not NAME=value and is ignored: ${shown(line)}`]
    return isUnknown(name) ? [`${file}: ${name} is not a setting and does nothing. ${hint(name, known)}`] : []
  })
  const begins = known.flatMap((name) => /^(.+_)ADMIN_TOKEN$/.exec(name)?.[1] ?? [])
  for (const [name, value] of Object.entries(environment))
    if (value && ['EVENT_', ...begins].some((begin) => name.startsWith(begin)) && isUnknown(name))
      said.push(`The environment has ${name}, which is not a setting and does nothing. ${hint(name, known)}`)
  return [...new Set(said)].slice(0, SENTENCES_MAX)
}

/** Only the beginning of a line: the rest may be a secret. */
const shown = (line: string): string => `${line.trim().slice(0, 12)}…`

function hint(name: string, known: readonly string[]): string {
  const upper = name.toUpperCase()
  const role = /_[A-Z]+_TOKEN$/.exec(upper)?.[0]
  const [nearest] = known
    .map((one) => ({ one, edits: editDistance(upper, one) }))
    .filter(({ edits }) => edits <= EDITS_MAX)
    .toSorted((a, b) => a.edits - b.edits)
  const meant = nearest?.one ?? known.find((one) => role !== undefined && one.endsWith(role))
  return meant === undefined ? '.env.example lists them all.' : `Did you mean ${meant}?`
}
