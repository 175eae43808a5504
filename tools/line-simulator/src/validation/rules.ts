/** A rich menu is at least so many times as wide as high. */
export const MENU_RATIO_MIN = 1.45

type Fields = Readonly<Record<string, unknown>>
/** Why a value is refused whose parts are all right, in LINE's words. */
type Rule = (fields: Fields) => string | undefined

const BUBBLE_BYTES_MAX = 30 * 1024
const CAROUSEL_BYTES_MAX = 50 * 1024
const TEXT_BELOW_PICTURE_UNITS_MAX = 60
/** A film plays in a large bubble that stands alone. */
const FILM_SIZES: readonly unknown[] = ['kilo', 'mega', 'giga']
const BLOCKS = ['header', 'hero', 'body', 'footer']

const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const TIME = '([01]\\d|2[0-3]):[0-5]\\d'
const PICKED = new Map([
  ['date', new RegExp(`^${DATE}$`)],
  ['time', new RegExp(`^${TIME}$`)],
  ['datetime', new RegExp(`^${DATE}[Tt]${TIME}$`)],
])

const INVALID = 'invalid property'

/** Rules across the properties of an object (LINE's reference). */
const RULES = {
  emoji: ({ text, emojis }) => {
    const misplaced = listOf(emojis).some(({ index }) => String(text)[Number(index)] !== '$')
    return misplaced ? 'an emoji stands where the text has no $' : undefined
  },
  textBelowPicture: ({ title, thumbnailImageUrl, text }) =>
    (title === undefined && thumbnailImageUrl === undefined) ||
    String(text).length <= TEXT_BELOW_PICTURE_UNITS_MAX
      ? undefined
      : `text: Length must be between 1 and ${TEXT_BELOW_PICTURE_UNITS_MAX} below a title or a picture`,
  sameButtons: ({ columns }) =>
    new Set(listOf(columns).map(({ actions }) => listOf(actions).length)).size > 1
      ? 'all columns must have the same number of actions'
      : undefined,
  bubble: (bubble) => {
    if (!BLOCKS.some((name) => bubble[name] !== undefined)) return 'At least one block must be specified'
    if (hasFilm(bubble) && !FILM_SIZES.includes(bubble.size ?? 'mega')) return INVALID
    return tooLarge(bubble, BUBBLE_BYTES_MAX)
  },
  carousel: (carousel) => {
    const bubbles = listOf(carousel.contents)
    if (new Set(bubbles.map(({ size = 'mega' }) => size)).size > 1)
      return 'all bubbles must have the same size'
    if (bubbles.some(hasFilm)) return INVALID
    return tooLarge(carousel, CAROUSEL_BYTES_MAX)
  },
  textOrSpans: ({ text, contents }) =>
    text === undefined && listOf(contents).length === 0 ? 'text or contents must be specified' : undefined,
  postback: ({ displayText, text, inputOption, fillInText }) => {
    if (displayText !== undefined && text !== undefined) return 'displayText and text cannot both be set'
    return fillInText !== undefined && inputOption !== 'openKeyboard'
      ? 'fillInText can only be used with openKeyboard'
      : undefined
  },
  picker: ({ mode, initial, max, min }) => {
    const form = PICKED.get(String(mode))
    if ([initial, max, min].some((value) => value !== undefined && !form?.test(String(value))))
      return `initial, max and min must be of the mode ${String(mode)}`
    const isReversed =
      max !== undefined && min !== undefined && String(max).toUpperCase() <= String(min).toUpperCase()
    return isReversed ? 'max must be greater than min' : undefined
  },
  menuSize: ({ width, height }) =>
    Number(width) / Number(height) >= MENU_RATIO_MIN
      ? undefined
      : `width / height must be ${MENU_RATIO_MIN} or more`,
  /** LINE lets an area outside of the menu pass; it is a mistake all the same, since it cannot be tapped. */
  areas: ({ size, areas }) => {
    const { width, height } = fieldsOf(size)
    const outside = listOf(areas).findIndex(({ bounds }) => {
      const { x, y, width: w, height: h } = fieldsOf(bounds)
      return Number(x) + Number(w) > Number(width) || Number(y) + Number(h) > Number(height)
    })
    return outside < 0 ? undefined : `areas[${outside}].bounds: outside of the menu`
  },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES

/** What a rule says of a value; undefined where it holds, or where there is no such rule. */
export function violationOf(name: string, value: unknown): string | undefined {
  const rules: Readonly<Record<string, Rule>> = RULES
  return rules[name]?.(fieldsOf(value))
}

const hasFilm = ({ hero }: Fields): boolean => fieldsOf(hero).type === 'video'

function tooLarge(container: object, bytesMax: number): string | undefined {
  if (Buffer.byteLength(JSON.stringify(container)) <= bytesMax) return undefined
  return `the JSON must be ${bytesMax / 1024} KB or less`
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
