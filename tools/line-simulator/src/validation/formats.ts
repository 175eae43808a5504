const ADDRESSES = new Map([
  ['media-url', ['https:']],
  ['link', ['http:', 'https:', 'line:', 'tel:']],
])
const NUMBER = '([0-9]+(?:\\.[0-9]+)?)'
const ANGLE = new RegExp(`^${NUMBER}deg$`)
const RATIO = new RegExp(`^${NUMBER}:${NUMBER}$`)
const DEGREES_MAX = 360
const RATIO_SIDE_MAX = 100_000
const HEIGHT_PER_WIDTH_MAX = 3
const INVALID = 'invalid property'

/** What LINE says of a text that is not of a format; undefined when it is. */
export function formatProblem(format: string, text: string): string | undefined {
  const schemes = ADDRESSES.get(format)
  if (schemes) return addressProblem(text, schemes)
  if (format === 'angle') return isAngle(text) ? undefined : INVALID
  return format === 'aspect-ratio' && !isAspectRatio(text) ? INVALID : undefined
}

/** LINE wants an address percent-encoded. */
function addressProblem(text: string, schemes: readonly string[]): string | undefined {
  if (/[^\x21-\x7e]/.test(text) || !URL.canParse(text)) return 'invalid uri'
  const { protocol, hostname } = new URL(text)
  if (!schemes.includes(protocol)) return 'invalid uri scheme'
  return protocol.startsWith('http') && hostname === '' ? 'invalid uri' : undefined
}

const isAngle = (text: string): boolean => Number(ANGLE.exec(text)?.[1] ?? DEGREES_MAX) < DEGREES_MAX

/** `width:height`, at most three times as high as wide. */
function isAspectRatio(text: string): boolean {
  const [, width = 0, height = 0] = (RATIO.exec(text) ?? []).map(Number)
  const inRange = [width, height].every((side) => side >= 1 && side <= RATIO_SIDE_MAX)
  return inRange && height <= width * HEIGHT_PER_WIDTH_MAX
}
