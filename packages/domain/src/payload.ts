/**
 * What a request body or query becomes before any schema sees it: one spelling of the names, clean text, no prototype
 * tricks, bounded depth. Contract section 1 (Bodies, Names); security.md (JSON).
 */
import {
  type Aliases,
  type Fields,
  fieldOf,
  noAliases,
  pointAliases,
  properNames,
  topAliases,
  withoutPrototypeKey,
} from './payload/names'
import { cleanText, hasForbiddenControl } from './text'

/** security.md: deeper JSON serves nobody here, and PostgreSQL refuses it some way down. The body itself is level 1. */
export const DEPTH_MAX = 16

const PATH_CHARACTERS_MAX = 80

/** Where in the body the walk is. Keys that are data (null) are kept as they are; ids are not trimmed. */
type Scope = { readonly aliases: Aliases | null; readonly trims: boolean }

const topScope: Scope = { aliases: topAliases, trims: true }
const pointScope: Scope = { aliases: pointAliases, trims: true }
const plainScope: Scope = { aliases: noAliases, trims: true }
const dataScope: Scope = { aliases: null, trims: true }
const idScope: Scope = { aliases: noAliases, trims: false }

/** What is wrong and where; the path grows on the way out of the walk. */
class Problem {
  constructor(
    readonly expected: string,
    readonly path = '',
  ) {}

  under(key: string | number): Problem {
    const dot = this.path === '' || this.path.startsWith('[') ? '' : '.'
    const step = typeof key === 'number' ? `[${key}]` : key
    return new Problem(this.expected, `${step}${dot}${this.path}`.slice(0, PATH_CHARACTERS_MAX))
  }
}

/**
 * A parsed body or query under proper names. snake_case is understood everywhere; `line_user_id` and `lineUserId` for
 * `userId` at the top; `timestamp` and `datetime` for `recordedAt` at the top and in `points`. The proper name wins over
 * snake_case, and that over another word. Below `answers` keys are data (modes of transport) and stay as they are.
 * Text is trimmed, with `\n` line ends, but for `userId` and `userIds`: ids are compared as they are. `__proto__` is
 * dropped. The input is never changed, and what needs no change is not copied.
 *
 * `{ problem }`, a sentence naming the field, for: nesting deeper than 16, a text or key with forbidden control
 * characters or half a surrogate pair, a number that is not finite (JSON's 1e400 parses to Infinity).
 */
export function normaliseKeys(value: unknown): { value: unknown } | { problem: string } {
  const walked = walk(value, topScope, 1)
  if (!(walked instanceof Problem)) return { value: walked }
  return { problem: `${walked.path === '' ? 'body' : walked.path}: expected ${walked.expected}` }
}

/** The `userId` that `normaliseKeys` would give, from the top level alone and without a walk; undefined if none is there. */
export function readUserId(body: unknown): unknown {
  return isFields(body) ? fieldOf(body, 'userId', topAliases) : undefined
}

function walk(value: unknown, scope: Scope, depth: number): unknown {
  if (typeof value === 'string') {
    if (hasForbiddenControl(value)) return new Problem('a text without control characters')
    return scope.trims ? cleanText(value) : value
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : new Problem('a finite number')
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEPTH_MAX) return new Problem(`at most ${DEPTH_MAX} levels of nesting`)
  if (Array.isArray(value)) return walkArray(value, scope, depth)
  return isFields(value) ? walkFields(value, scope, depth) : value
}

function walkArray(items: readonly unknown[], scope: Scope, depth: number): unknown {
  let copy: unknown[] | null = null
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const walked = walk(item, scope, depth + 1)
    if (walked === item) continue
    if (walked instanceof Problem) return walked.under(index)
    copy ??= [...items]
    copy[index] = walked
  }
  return copy ?? items
}

function walkFields(given: Fields, scope: Scope, depth: number): unknown {
  const fields = scope.aliases === null ? withoutPrototypeKey(given) : properNames(given, scope.aliases)
  let copy: Record<string, unknown> | null = null
  for (const key of Object.keys(fields)) {
    if (hasForbiddenControl(key)) return new Problem('names without control characters')
    const field = fields[key]
    const walked = walk(field, scopeBelow(key, scope, depth), depth + 1)
    if (walked === field) continue
    if (walked instanceof Problem) return walked.under(key)
    copy ??= { ...fields }
    copy[key] = walked
  }
  return copy ?? fields
}

function scopeBelow(key: string, scope: Scope, depth: number): Scope {
  if (scope.aliases === null || key === 'answers') return dataScope
  if (depth === 1 && key === 'points') return pointScope
  return key === 'userId' || key === 'userIds' ? idScope : plainScope
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
