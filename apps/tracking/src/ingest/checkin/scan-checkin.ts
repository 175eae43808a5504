import { isUserId } from '@palanquin/domain/ids'
import { PlainJson } from '@palanquin/domain/payload/plain-json'
import {
  ACCURACY_M_BOUND,
  ALTITUDE_M_MAX,
  ALTITUDE_M_MIN,
  BATTERY_MAX,
  type CheckinBody,
  HEADING_MAX,
  SPEED_KMH_BOUND,
} from '@palanquin/domain/point/input'

const QUOTE = 0x22
const LOWER_N = 0x6e

const NAMES = [
  'userId',
  'lat',
  'lng',
  'accuracy',
  'recordedAt',
  'speed',
  'altitude',
  'heading',
  'battery',
  'source',
] as const
type Name = (typeof NAMES)[number]
type Measure = Exclude<Name, 'userId' | 'recordedAt' | 'source'>

/** The bounds of `CheckinBody`; a negative amount is unknown, and `judge` leaves it out. */
const BOUNDS: Record<Measure, readonly [min: number, max: number]> = {
  lat: [-90, 90],
  lng: [-180, 180],
  accuracy: [Number.NEGATIVE_INFINITY, ACCURACY_M_BOUND],
  speed: [Number.NEGATIVE_INFINITY, SPEED_KMH_BOUND],
  altitude: [ALTITUDE_M_MIN, ALTITUDE_M_MAX],
  heading: [Number.NEGATIVE_INFINITY, HEADING_MAX],
  battery: [Number.NEGATIVE_INFINITY, BATTERY_MAX],
}
/** As `CheckinBody` bounds them. */
const TEXT_CHARACTERS_MAX = 64

/**
 * Reads a check-in as phones write it (printable ASCII, a flat object of known names, each once), without the parser and the
 * schema: the body that they would make of it. Undefined for everything else, what is out of bounds included: theirs to say.
 */
export function scanCheckin(text: string): CheckinBody | undefined {
  const json = new PlainJson(text)
  const body: Partial<CheckinBody> = {}
  let expected = 0
  let state: number = json.open()
  while (state === 1) {
    const start = json.name()
    if (start < 0) return undefined
    const at = indexOfName(json, start, expected)
    const name = NAMES[at]
    if (name === undefined || name in body || !readField(json, name, body)) return undefined
    expected = at + 1
    state = json.more()
  }
  return state === 0 && json.isAtEnd() && isWhole(body) ? body : undefined
}

/** Nearly always a name follows the one before in our list. */
function indexOfName(json: PlainJson, start: number, expected: number): number {
  const likely = NAMES[expected]
  if (likely !== undefined && json.says(likely, start, json.nameEnd)) return expected
  return NAMES.findIndex((name) => json.says(name, start, json.nameEnd))
}

/** Whether the value is one of the field's, and in its bounds. */
function readField(json: PlainJson, name: Name, body: Partial<CheckinBody>): boolean {
  const code = json.next()
  if (code === QUOTE) {
    if (name !== 'userId' && name !== 'source' && name !== 'recordedAt') return false
    const text = textOf(json)
    if (text === undefined) return false
    body[name] = text
    return true
  }
  if (name === 'userId') return false
  if (code === LOWER_N) {
    if (name === 'lat' || name === 'lng' || !json.literal('null')) return false
    body[name] = null
    return true
  }
  const value = json.number()
  if (name === 'source' || Number.isNaN(value)) return false
  if (name !== 'recordedAt') {
    const [min, max] = BOUNDS[name]
    if (value < min || value > max) return false
  }
  body[name] = value
  return true
}

/** A string that needs no trimming, which no `userId` gets. */
function textOf(json: PlainJson): string | undefined {
  const start = json.string()
  const text = start < 0 ? '' : json.slice(start, json.at - 1)
  return text.length <= TEXT_CHARACTERS_MAX && text !== '' && text.trim() === text ? text : undefined
}

const isWhole = (body: Partial<CheckinBody>): body is CheckinBody =>
  isUserId(body.userId) && body.lat !== undefined && body.lng !== undefined
