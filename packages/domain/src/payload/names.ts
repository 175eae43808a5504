/** How a client may spell the name of a field, and which of several spellings wins. Contract section 1. */
import { hasForbiddenControl } from '../text'

export type Fields = Readonly<Record<string, unknown>>

/** Aliases of a name, in camelCase. Earlier ones win over later ones. */
export type Aliases = readonly (readonly [word: string, name: string])[]

// Names that clients in the field send.
export const pointAliases: Aliases = [
  ['timestamp', 'recordedAt'],
  ['datetime', 'recordedAt'],
]
export const topAliases: Aliases = [['lineUserId', 'userId'], ...pointAliases]

/** Assigning this key would change an object's prototype. */
const PROTOTYPE_KEY = '__proto__'

/** Our names are at most half as long; a longer key stays as it is. */
const NAME_CHARACTERS_MAX = 64
/**
 * Different names that are respelled in one scope of one body; all of ours together are fewer. A property name that no
 * object had before costs 3 µs (measured), and a body may have 2,000.
 */
const NAMES_RESPELLED_MAX = 128

type Spelling = {
  /** The proper name; null for a key that is dropped. */
  readonly name: string | null
  /** 0 for the proper name itself, 1 for snake_case, then the aliases in their order. The lowest wins. */
  readonly rank: number
  readonly isForbidden: boolean
}

/** Spellings of keys that stay; at rank 0 the name is not used. */
const UNCHANGED: Spelling = { name: '', rank: 0, isForbidden: false }
const UNCHANGED_FORBIDDEN: Spelling = { name: '', rank: 0, isForbidden: true }

/**
 * The spelling of keys in one body. It caches each key, as a sync repeats the same five a thousand times; one body's cache
 * is not shared, so that clients cannot fill it.
 */
export class Names {
  private readonly seen = new Map<string, Spelling>()
  private respelled = 0

  /** `aliases` null: keys are data, not names, and stay as they are. */
  constructor(private readonly aliases: Aliases | null) {}

  /** The fields under their proper names, `__proto__` dropped; the same object where nothing changes. */
  proper(fields: Fields): Fields {
    const keys = Object.keys(fields)
    if (keys.every((key) => this.spellingOf(key).rank === 0)) return fields
    const named: Record<string, unknown> = {}
    const others: [key: string, spelling: Spelling][] = []
    for (const key of keys) {
      const spelling = this.spellingOf(key)
      if (spelling.rank === 0) named[key] = fields[key]
      else others.push([key, spelling])
    }
    others.sort(([, a], [, b]) => a.rank - b.rank)
    for (const [key, { name }] of others) {
      if (name !== null && !Object.hasOwn(named, name)) named[name] = fields[key]
    }
    return named
  }

  /** Whether a name is spelled properly and has no control characters. */
  isProper(key: string): boolean {
    const { rank, isForbidden } = this.spellingOf(key)
    return rank === 0 && !isForbidden
  }

  /** Whether a name has control characters. */
  isForbidden(name: string): boolean {
    return this.spellingOf(name).isForbidden
  }

  private spellingOf(key: string): Spelling {
    const known = this.seen.get(key)
    if (known !== undefined) return known
    const isForbidden = hasForbiddenControl(key)
    // A key that stays needs no cache entry.
    if (this.respelled >= NAMES_RESPELLED_MAX && key !== PROTOTYPE_KEY)
      return isForbidden ? UNCHANGED_FORBIDDEN : UNCHANGED
    const spelling = { ...spell(key, this.aliases), isForbidden }
    if (spelling.name !== key) this.respelled++
    this.seen.set(key, spelling)
    return spelling
  }
}

/** The value of one proper name among differently spelled keys, as `Names.proper` would choose it. */
export function fieldOf(fields: Fields, wanted: string, aliases: Aliases): unknown {
  let best = Number.POSITIVE_INFINITY
  let value: unknown
  for (const key of Object.keys(fields)) {
    const { name, rank } = spell(key, aliases)
    if (name !== wanted || rank >= best) continue
    value = fields[key]
    best = rank
  }
  return value
}

function spell(key: string, aliases: Aliases | null): { name: string | null; rank: number } {
  if (key === PROTOTYPE_KEY) return { name: null, rank: 1 }
  if (aliases === null) return { name: key, rank: 0 }
  const camel = key.includes('_') && key.length <= NAME_CHARACTERS_MAX ? camelOf(key) : key
  const index = aliases.findIndex(([word]) => word === camel)
  const alias = aliases[index]
  if (alias !== undefined) return { name: alias[1], rank: 2 + index }
  return { name: camel, rank: camel === key ? 0 : 1 }
}

/**
 * `display_name` → `displayName`: underscores between letters or digits go, and the next letter is a capital. By hand,
 * because a body may have 2,000 names of 50 underscores, and a regular expression takes 3 µs for each.
 */
function camelOf(key: string): string {
  let camel = ''
  let from = 0
  for (let at = 1; at < key.length; at++) {
    if (key.charCodeAt(at) !== UNDERSCORE || !isLetterOrDigit(key.charCodeAt(at - 1))) continue
    let next = at + 1
    while (key.charCodeAt(next) === UNDERSCORE) next++
    if (isLetterOrDigit(key.charCodeAt(next))) {
      camel += key.slice(from, at) + key.charAt(next).toUpperCase()
      from = next + 1
    }
    at = next
  }
  return from === 0 ? key : camel + key.slice(from)
}

const UNDERSCORE = 0x5f
const isLetterOrDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
