/** Longer names are cut long before: the line on the card ends first. */
const GRAPHEMES_MAX = 100
/** Marks stacked on one letter, beyond what any script needs. */
const MARKS_MAX = 4

const segmenter = new Intl.Segmenter('zh-TW', { granularity: 'grapheme' })

/** Controls, line separators, and every character that only steers the direction of text. */
const STEERING =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffd]/gu
const SPACES = /\s+/gu
const TOO_MANY_MARKS = new RegExp(`(\\p{M}{${MARKS_MAX}})\\p{M}+`, 'gu')

/**
 * A display name as it may stand on a picture: one line, without controls and without characters that turn the
 * direction of text, in composed form. Null when nothing is left.
 */
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

/** What a reader counts as characters: a family emoji, or a letter with its marks, is one. */
export const graphemesOf = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment)
