import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { graphemesOf } from './display-name.ts'
import type { Face, Fonts } from './fonts.ts'

/** Twemoji: graphics by Twitter and contributors, CC-BY 4.0 (docs/architecture.md). */
const FOLDER = dirname(Bun.resolveSync('@twemoji/svg/1f525.svg', import.meta.dir))

const JOINER_POINT = 0x200d
const VARIATION = 0xfe0f

/** The file of an emoji; null when there is none. */
function emojiFile(grapheme: string): string | null {
  for (const name of namesOf(grapheme)) {
    const file = join(FOLDER, `${name}.svg`)
    if (existsSync(file)) return file
  }
  return null
}

/** Files are named by code points, some with the variation selector and some without. */
function namesOf(grapheme: string): string[] {
  const points = [...grapheme].map((character) => character.codePointAt(0) ?? 0)
  const plain = points.filter((point) => point !== VARIATION)
  const name = (list: readonly number[]) => list.map((point) => point.toString(16)).join('-')
  const names = points.includes(JOINER_POINT) ? [name(points), name(plain)] : [name(plain), name(points)]
  return names.every((input) => /^[0-9a-f-]{2,80}$/.test(input)) ? names : []
}

/** A piece of a line in one font, or one emoji. Widths in ems. */
export type Run = { text: string; width: number } & ({ face: Face } | { emojiFile: string } | { gap: true })

const EMOJI = /^(?:\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)/v
const SKIN_OR_VARIATION = /[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f\u{e0100}-\u{e01ef}]/gu
const JOINER = '\u200d'
const HAN = /\p{Script=Han}/u
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const LETTER = /\p{L}/u
/** As newspapers in Taiwan print a character that they cannot set. */
const STAND_IN = '○'
/** An emoji has a little space on both sides. */
export const EMOJI_WIDTH_EM = 1.12

const SPACE = ' '
/** Between words of different fonts, where layout drops a space at the end of a run. */
const SPACE_EM = 0.26

const points = (text: string): number[] => [...text].map((character) => character.codePointAt(0) ?? 0)

/** Splits a text into runs of one font and emoji. What no font has is left out, or ○ for a Chinese character. */
export function typeset(text: string, fonts: Fonts): Run[] {
  const runs: Run[] = []
  for (const grapheme of graphemesOf(text)) for (const run of runsOf(grapheme, fonts)) append(runs, run)
  const joined = joinWords(runs)
  return isRightToLeft(text) ? joined.reverse() : joined
}

/** The total width of runs in ems. */
export const widthOf = (runs: readonly Run[]): number => runs.reduce((sum, { width }) => sum + width, 0)

const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? '')

function append(runs: Run[], run: Run): void {
  const last = runs.at(-1)
  if (last && 'face' in last && 'face' in run && last.face === run.face) {
    last.text += run.text
    last.width += run.width
  } else runs.push(run)
}

/** Words of one font stay one run with the spaces between them: their script may join or order them. */
function joinWords(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const run of runs) {
    const [word, gap] = joined.slice(-2)
    const closes = word && gap && 'gap' in gap && 'face' in word && 'face' in run && word.face === run.face
    if (closes && word.face.has(points(SPACE)[0] ?? 0)) {
      joined.splice(-2, 2, {
        ...word,
        text: word.text + SPACE + run.text,
        width: word.width + gap.width + run.width,
      })
    } else joined.push(run)
  }
  return joined
}

function runsOf(grapheme: string, fonts: Fonts): Run[] {
  if (grapheme === SPACE) return [{ text: SPACE, gap: true, width: SPACE_EM }]
  if (EMOJI.test(grapheme)) return emojiRuns(grapheme)
  const plain = grapheme.replace(SKIN_OR_VARIATION, '')
  const face = fonts.faceFor(...points(plain))
  if (face) return [runIn(face, plain)]
  const [base = ''] = plain
  const basic = fonts.faceFor(...points(base))
  if (basic)
    return [runIn(basic, [...plain].filter((character) => basic.has(points(character)[0] ?? 0)).join(''))]
  return HAN.test(base) ? [runIn(fonts.main, STAND_IN)] : []
}

const runIn = (face: Face, text: string): Run => ({
  text,
  face,
  width: points(text).reduce((sum, point) => sum + face.advanceEm(point), 0),
})

/** The image of an emoji; one that the set lacks is split into its parts, or left out. */
function emojiRuns(grapheme: string): Run[] {
  const file = emojiFile(grapheme)
  if (file) return [{ text: grapheme, emojiFile: file, width: EMOJI_WIDTH_EM }]
  const parts = grapheme.includes(JOINER) ? grapheme.split(JOINER) : [grapheme.replace(SKIN_OR_VARIATION, '')]
  if (parts.length === 1 && parts[0] === grapheme) return []
  return parts.flatMap(emojiRuns)
}
