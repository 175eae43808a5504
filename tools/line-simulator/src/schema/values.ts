import Type, { type TSchema } from 'typebox'

/** Image and video addresses: https, and so many UTF-16 units (LINE's reference, message objects). */
const MEDIA_URL_LENGTH_MAX = 2000
/** What a tap opens is held shorter than a picture's address. */
const ACTION_URI_LENGTH_MAX = 1000

/** A union that the property `by` decides. It is a function so that a schema may hold itself. */
export const variants = <T>(choices: () => Record<string, TSchema>, by = 'type') =>
  Type.Unsafe<T>({ variants: choices, by })

/** One of the given words. */
export const word = <const W extends string>(...words: W[]) => Type.Unsafe<W>({ type: 'string', enum: words })

/** Text of at most so many UTF-16 units; empty is refused. */
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

/** The address of a picture or film: https only, percent-encoded. */
export const MediaUrl = Type.String({
  minLength: 1,
  maxLength: MEDIA_URL_LENGTH_MAX,
  rule: (url: string) => refusalOfUri(url, ['https:']),
})

/** What a tap opens: a page, a LINE address or a telephone number. */
export const ActionUri = Type.String({
  minLength: 1,
  maxLength: ACTION_URI_LENGTH_MAX,
  rule: (uri: string) => refusalOfUri(uri, ['http:', 'https:', 'line:', 'tel:']),
})

/** `#RRGGBB` or `#RRGGBBAA`. */
export const Colour = Type.String({ pattern: '^#[0-9A-Fa-f]{6}([0-9A-Fa-f]{2})?$' })

const NUMBER = '[0-9]+(\\.[0-9]+)?'
const GAPS = ['none', 'xs', 'sm', 'md', 'lg', 'xl', 'xxl']
const SIZES = ['xxs', 'xs', 'sm', 'md', 'lg', 'xl', 'xxl', '3xl', '4xl', '5xl']
const measure = (units: readonly ('px' | '%')[], words: readonly string[] = []) =>
  Type.String({ pattern: `^(${[`${NUMBER}(${units.join('|')})`, ...words].join('|')})$` })

/** Space between components: pixels or a word. */
export const Gap = measure(['px'], GAPS)
/** Padding and offset: pixels, a share of the parent, or a word. */
export const Inset = measure(['px', '%'], GAPS)
/** Width and height of a box. */
export const Extent = measure(['px', '%'])
export const Radius = measure(['px'], GAPS)
export const BorderWidth = measure(['px'], ['none', 'light', 'normal', 'medium', 'semi-bold', 'bold'])
export const FontSize = measure(['px'], SIZES)
export const ImageSize = measure(['px', '%'], [...SIZES, 'full'])
export const Pixels = measure(['px'])
export const Percentage = measure(['%'])
/** From 0 to below 360 degrees. */
export const Angle = Type.String({
  pattern: `^${NUMBER}deg$`,
  rule: (angle: string) => (Number.parseFloat(angle) < 360 ? undefined : 'invalid property'),
})
/** The share of the free space that a component takes. */
export const Flex = Type.Integer({ minimum: 0 })

const RATIO_MAX = 100_000
const HEIGHT_PER_WIDTH_MAX = 3
/** `width:height`, at most three times as high as wide. */
export const AspectRatio = Type.String({
  pattern: `^${NUMBER}:${NUMBER}$`,
  rule: (ratio: string) => {
    const [width = 0, height = 0] = ratio.split(':').map(Number)
    const inRange = [width, height].every((side) => side >= 1 && side <= RATIO_MAX)
    return inRange && height <= width * HEIGHT_PER_WIDTH_MAX ? undefined : 'invalid property'
  },
})

function refusalOfUri(uri: string, schemes: readonly string[]): string | undefined {
  if (/[^\x21-\x7e]/.test(uri)) return 'invalid uri' // to be percent-encoded
  if (!URL.canParse(uri)) return 'invalid uri'
  const { protocol, hostname } = new URL(uri)
  if (!schemes.includes(protocol)) return 'invalid uri scheme'
  return protocol.startsWith('http') && hostname === '' ? 'invalid uri' : undefined
}
