/** How a client may spell the name of a field, and which spelling wins where several are there. Contract section 1. */

export type Fields = Readonly<Record<string, unknown>>

/** Other words for a name, in camelCase. */
export type Aliases = ReadonlyMap<string, string>

// Clients in the field say these. Earlier entries win over later ones.
export const pointAliases: Aliases = new Map([
  ['timestamp', 'recordedAt'],
  ['datetime', 'recordedAt'],
])
export const topAliases: Aliases = new Map([['lineUserId', 'userId'], ...pointAliases])
export const noAliases: Aliases = new Map()

/** Assigning it would change an object's prototype instead of setting a field. */
const PROTOTYPE_KEY = '__proto__'

const SNAKE = /(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g

/** Whether every key is spelled properly already: nearly always, so that nothing is copied. */
function isProper(keys: readonly string[], aliases: Aliases): boolean {
  for (const key of keys) if (key.includes('_') || aliases.has(key)) return false
  return true
}

/** The fields under their proper names, `__proto__` dropped; the same object where nothing changes. */
export function properNames(fields: Fields, aliases: Aliases): Fields {
  const keys = Object.keys(fields)
  if (isProper(keys, aliases)) return fields
  const named: Record<string, unknown> = {}
  const ranks = new Map<string, number>()
  for (const key of keys) {
    if (key === PROTOTYPE_KEY) continue
    const { name, rank } = spellingOf(key, aliases)
    if (rank >= (ranks.get(name) ?? Number.POSITIVE_INFINITY)) continue
    named[name] = fields[key]
    ranks.set(name, rank)
  }
  return named
}

/** The fields as they are, but `__proto__`. */
export function withoutPrototypeKey(fields: Fields): Fields {
  if (!Object.hasOwn(fields, PROTOTYPE_KEY)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== PROTOTYPE_KEY))
}

/** The value of one proper name among differently spelled keys, as `properNames` would choose it. */
export function fieldOf(fields: Fields, wanted: string, aliases: Aliases): unknown {
  let best = Number.POSITIVE_INFINITY
  let value: unknown
  for (const key of Object.keys(fields)) {
    const { name, rank } = spellingOf(key, aliases)
    if (name !== wanted || rank >= best) continue
    value = fields[key]
    best = rank
  }
  return value
}

/** The proper name of a key and the rank of this spelling: 0 proper, 1 snake_case, then the aliases in their order. */
function spellingOf(key: string, aliases: Aliases): { name: string; rank: number } {
  const camel = key.includes('_') ? key.replace(SNAKE, (_, letter: string) => letter.toUpperCase()) : key
  const name = aliases.get(camel)
  if (name !== undefined) return { name, rank: 2 + [...aliases.keys()].indexOf(camel) }
  return { name: camel, rank: camel === key ? 0 : 1 }
}
