import type { Environment } from '@palanquin/service/config'
import { editDistance } from './edit-distance.ts'
import { knownSettings, settingsFileOf } from './settings.ts'

/** Names of docker compose and of the runtime, which may stand in the same file. */
const OF_OTHERS = /^(?:COMPOSE_|DOCKER_|BUN_|MIMALLOC_|NODE_|SSL_CERT_|TZ$|LANG$|LC_|(?:HTTPS?|NO)_PROXY$)/i
/** So many letters wrong, missing or too many are a slip of the finger. */
const EDITS_MAX = 3
/** A file that is none of ours at all needs no more to be found out. */
const SENTENCES_MAX = 10
const NAME = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/
/** A value in quotation marks may go over several lines, and hold anything. */
const QUOTED_VALUE = /=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)/g

/**
 * Sentences about settings that nothing reads: each unknown name of the settings file, each line of it that is no setting,
 * and of the environment each unknown name that begins as ours do (`EVENT_…`).
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
        : [`${file}: a line is no NAME=value, so it is not read: ${shown(line)}`]
    return isUnknown(name) ? [`${file}: ${name} is no setting, so it does nothing. ${hint(name, known)}`] : []
  })
  const begins = known.flatMap((name) => /^(.+_)ADMIN_TOKEN$/.exec(name)?.[1] ?? [])
  for (const [name, value] of Object.entries(environment))
    if (value && ['EVENT_', ...begins].some((begin) => name.startsWith(begin)) && isUnknown(name))
      said.push(`The environment has ${name}, which is no setting, so it does nothing. ${hint(name, known)}`)
  return [...new Set(said)].slice(0, SENTENCES_MAX)
}

/** The beginning of a line: what stands behind may be a secret. */
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
