/**
 * Normalises a request body or query before its schema is checked: one spelling of names, clean text, no prototype
 * pollution, bounded depth. Contract section 1 (Bodies, Names); security.md (JSON).
 */
import { type Fields, fieldOf, Names, pointAliases, topAliases } from './payload/names'
import { DEPTH_MAX } from './payload/shape'
import { cleanText, hasForbiddenControl } from './text'

export { boundJson, DEPTH_MAX, KEYS_PER_OBJECT_MAX, NOT_JSON } from './payload/shape'

const PATH_CHARACTERS_MAX = 80

/** The rules at a place in the body: how keys are spelled, and whether text is trimmed (ids are not). */
type Scope = { readonly names: Names; readonly trims: boolean }

/** Replaces a point that cannot be read: its verdict is `invalid`, and the others are processed. */
const NO_POINT = null

/** What is wrong, and where; the path grows while the recursion unwinds. */
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
 * A parsed body or query with proper names. snake_case is accepted everywhere; `line_user_id` and `lineUserId` for `userId`
 * at the top; `timestamp` and `datetime` for `recordedAt` at the top and in `points`. The proper name wins over snake_case,
 * which wins over an alias. Below `answers` keys are data (modes of transport) and stay. Text is trimmed, except `userId` and
 * `userIds`. `__proto__` is dropped. The input is never changed, and copied only where something changes.
 *
 * `{ problem }`, a sentence naming the field, for nesting deeper than 16, text or a key with forbidden control characters
 * or half a surrogate pair, and a number that is not finite (1e400 parses to Infinity). A point of `points` with such a
 * problem becomes null instead: a sync gives each point a verdict of its own.
 */
export function normaliseKeys(value: unknown): { value: unknown } | { problem: string } {
  const walked = new Walk().top(value)
  if (!(walked instanceof Problem)) return { value: walked }
  return { problem: `${walked.path === '' ? 'body' : walked.path}: expected ${walked.expected}` }
}

/** The `userId` that `normaliseKeys` would give, read from the top level only; undefined if there is none. */
export function readUserId(body: unknown): unknown {
  return isFields(body) ? fieldOf(body, 'userId', topAliases) : undefined
}

/** One traversal of one body. */
class Walk {
  private readonly topScope: Scope = { names: new Names(topAliases), trims: true }
  private readonly pointScope: Scope = { names: new Names(pointAliases), trims: true }
  private readonly plainScope: Scope = { names: new Names([]), trims: true }
  private readonly idScope: Scope = { names: this.plainScope.names, trims: false }
  private readonly dataScope: Scope = { names: new Names(null), trims: true }

  top(body: unknown): unknown {
    return this.value(body, this.topScope, 1)
  }

  private value(value: unknown, scope: Scope, depth: number): unknown {
    if (typeof value === 'string') {
      if (hasForbiddenControl(value)) return new Problem('a text without control characters')
      return scope.trims ? cleanText(value) : value
    }
    if (typeof value === 'number') return Number.isFinite(value) ? value : new Problem('a finite number')
    if (typeof value !== 'object' || value === null) return value
    if (depth > DEPTH_MAX) return new Problem(`at most ${DEPTH_MAX} levels of nesting`)
    if (Array.isArray(value)) return this.array(value, scope, depth)
    return isFields(value) ? this.fields(value, scope, depth) : value
  }

  private array(items: readonly unknown[], scope: Scope, depth: number): unknown {
    let copy: unknown[] | null = null
    for (let index = 0; index < items.length; index++) {
      const item = items[index]
      const walked = this.value(item, scope, depth + 1)
      if (walked === item) continue
      if (walked instanceof Problem && scope !== this.pointScope) return walked.under(index)
      copy ??= [...items]
      copy[index] = walked instanceof Problem ? NO_POINT : walked
    }
    return copy ?? items
  }

  private fields(given: Fields, scope: Scope, depth: number): unknown {
    if (isPlain(given, scope)) return given
    const fields = scope.names.proper(given)
    let copy: Record<string, unknown> | null = null
    for (const key of Object.keys(fields)) {
      if (scope.names.isForbidden(key)) return new Problem('names without control characters')
      const field = fields[key]
      const walked = this.value(field, this.below(key, scope, depth), depth + 1)
      if (walked === field) continue
      if (walked instanceof Problem) return walked.under(key)
      copy ??= { ...fields }
      copy[key] = walked
    }
    return copy ?? fields
  }

  private below(key: string, scope: Scope, depth: number): Scope {
    if (scope === this.dataScope || key === 'answers') return this.dataScope
    if (depth === 1 && key === 'points') return this.pointScope
    return key === 'userId' || key === 'userIds' ? this.idScope : this.plainScope
  }
}

/**
 * Whether an object needs no change: proper names, and values that are numbers, null, times or plain words. Nearly every
 * point is such an object, and a sync has a thousand, so this halves the time.
 */
function isPlain(fields: Fields, { names }: Scope): boolean {
  for (const key in fields) {
    const value = fields[key]
    const isSound = typeof value === 'number' ? Number.isFinite(value) : value === null || isPlainText(value)
    if (!isSound || !names.isProper(key)) return false
  }
  return true
}

const PLAIN_TEXT = /^[\w.:+-]*$/
const isPlainText = (value: unknown): boolean => typeof value === 'string' && PLAIN_TEXT.test(value)

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
