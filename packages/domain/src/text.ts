/** Text written by people: trimmed, without control characters, its length in visible characters. */
import Type from 'typebox'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Bounds stacked combining marks; the longest emoji in use have 14 units. */
const UNITS_PER_GRAPHEME_MAX = 16

const NUL_TO_BACKSPACE_END = 0x08
const TAB = 0x09
const LINE_FEED = 0x0a
const C0_END = 0x1f
const DELETE = 0x7f

/** Trims white space at both ends, the ideographic space too. */
export function cleanText(text: string): string {
  return text.trim()
}

/** NUL and C0 controls but `\n` and `\t`, DEL, half a surrogate pair (contract section 1). */
export function hasForbiddenControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > C0_END && code !== DELETE) continue
    if (code <= NUL_TO_BACKSPACE_END || code === DELETE) return true
    if (code === TAB || code === LINE_FEED) continue
    return true
  }
  return !text.isWellFormed()
}

/** Visible characters (graphemes): a family emoji or a letter with its accents is one. */
export function graphemes(text: string): number {
  let count = 0
  for (const _ of segmenter.segment(text)) count++
  return count
}

/** Whether a text has at most `max` graphemes (and not absurdly many marks stacked on them). */
export function fitsGraphemes(text: string, max: number): boolean {
  if (text.length <= max) return true // never more graphemes than UTF-16 units
  if (text.length > max * UNITS_PER_GRAPHEME_MAX) return false
  let count = 0
  for (const _ of segmenter.segment(text)) if (++count > max) return false // the rest makes no difference
  return true
}

/** A text of `min` to `max` graphemes; JSON Schema's `maxLength` counts code points. */
export function PersonText({ min = 1, max }: { min?: number; max: number }) {
  const description = `a text of ${min} to ${max} characters`
  return Type.Refine(
    Type.String({ minLength: min, description }),
    (text) => fitsGraphemes(text, max),
    () => `expected ${description}`,
  )
}
