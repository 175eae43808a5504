import { isUserId } from '../ids'
import { PlainJson } from './plain-json'
import { KEYS_PER_POINT_MAX } from './point-keys'
import { patternOf } from './point-patterns'
import { ITEMS_MAX, KEYS_PER_OBJECT_MAX } from './shape'

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/**
 * The `userId` of a body as `readUserId` gives it, without parsing it: of a JSON object of scalars, in which `points` may be a
 * list of such objects. Undefined for every other text, sound or not, and where the name stands there twice: parse it then.
 */
export function plainUserId(text: string): string | undefined {
  const json = new PlainJson(text)
  let userId: string | undefined
  let hasPoints = false
  let keys = 0
  let state: number = json.open()
  while (state === 1) {
    const start = json.name()
    if (start < 0 || ++keys > KEYS_PER_OBJECT_MAX) return undefined
    const end = json.nameEnd
    if (json.says('userId', start, end)) {
      const from = json.string()
      if (from < 0 || userId !== undefined) return undefined
      userId = json.slice(from, json.at - 1)
    } else if (json.next() === OPEN_BRACKET) {
      if (hasPoints || !json.says('points', start, end) || !skipPoints(json)) return undefined
      hasPoints = true
    } else if (!json.scalar()) return undefined
    state = json.more()
  }
  return state === 0 && json.isAtEnd() && isUserId(userId) ? userId : undefined
}

/** Steps over a list of objects of scalars, if it is within the limits of `boundJson`. */
function skipPoints(json: PlainJson): boolean {
  json.take(OPEN_BRACKET)
  if (json.take(CLOSE_BRACKET)) return true
  const names: string[] = []
  let items = 0
  do {
    names.length = 0
    if (++items > ITEMS_MAX || !skipPoint(json, names)) return false
    const others = patternOf(names)
    while (others && items < ITEMS_MAX && json.passes(others)) items++
  } while (json.take(COMMA))
  return json.take(CLOSE_BRACKET)
}

function skipPoint(json: PlainJson, names: string[]): boolean {
  let state: number = json.open()
  while (state === 1) {
    const start = json.name()
    if (start < 0 || names.push(json.slice(start, json.nameEnd)) > KEYS_PER_POINT_MAX) return false
    if (!json.scalar()) return false
    state = json.more()
  }
  return state === 0
}
