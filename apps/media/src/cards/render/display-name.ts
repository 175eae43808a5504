/** The line on the card ends long before. */
const GRAPHEMES_MAX = 100
/** Marks stacked on one letter, beyond what any script needs. */
const MARKS_MAX = 4

const segmenter = new Intl.Segmenter('zh-TW', { granularity: 'grapheme' })

/** Control characters, line separators, and characters that only set the direction of text. */
const STEERING =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffd]/gu
const SPACES = /\s+/gu
const TOO_MANY_MARKS = new RegExp(`(\\p{M}{${MARKS_MAX}})\\p{M}+`, 'gu')

/** A display name on one line, without characters that control or turn text; null when nothing is left. */
export function nameOf(displayName: string): string | null {
  const clean = displayName
    .toWellFormed()
    .normalize('NFC')
    .replace(SPACES, ' ')
    .replace(STEERING, '')
    .replace(TOO_MANY_MARKS, '$1')
    .trim()
  return clean === '' ? null : graphemesOf(clean).slice(0, GRAPHEMES_MAX).join('')
}

/** Characters as a reader counts them: a family emoji, or a letter with its marks, is one. */
export const graphemesOf = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment)
