import { readFileSync } from 'node:fs'
import satori from 'satori'
import { type Theme, themeOf } from '../../themes/themes.ts'
import type { CardContent } from './content.ts'
import { fitLine, type Line } from './fit.ts'
import type { Face, Fonts } from './fonts.ts'
import { EMOJI_WIDTH_EM, typeset } from './typeset.ts'
import { wordingOf } from './wording.ts'

type Style = Record<string, string | number>
export type Element = {
  type: string
  props: { style: Style; children?: Child; src?: string; width?: number; height?: number }
}
type Child = string | Element | Element[]

/** A flex box. */
const box = (style: Style, children: Child): Element => ({
  type: 'div',
  props: { style: { display: 'flex', ...style }, children },
})
/** Positioned from the corner of the foreground. */
const placed = (top: number, style: Style, children: Child): Element =>
  box({ position: 'absolute', left: 0, top, ...style }, children)

/** A line as text nodes and emoji: text of participants is never read as markup. */
const lineOf = ({ runs, sizePx }: Line, style: Style = {}): Element =>
  box(
    { alignItems: 'center', fontSize: sizePx, lineHeight: 1.2, whiteSpace: 'pre', ...style },
    runs.map((run) => {
      if ('face' in run) return box({ fontFamily: run.face.family, whiteSpace: 'pre' }, run.text)
      if ('gap' in run) return box({ width: run.width * sizePx }, '')
      const svg = readFileSync(run.emojiFile).toString('base64')
      const size = Math.round(sizePx)
      return {
        type: 'img',
        props: {
          src: `data:image/svg+xml;base64,${svg}`,
          width: size,
          height: size,
          style: { margin: `0 ${((EMOJI_WIDTH_EM - 1) / 2) * size}px` },
        },
      }
    }),
  )

/** The part of the card that text is written on. */
export const FOREGROUND = { left: 68, top: 72, width: 652, height: 484 } as const

const NAME_SIZES = { sizePxMax: 58, sizePxMin: 34 }
const EVENT_SIZES = { sizePxMax: 25, sizePxMin: 15 }
const FIGURE_SIZES = { sizePxMax: 58, sizePxMin: 22 }
const NAME_TOP = 38
/** Of kilometres, check-ins and carbon. */
const FIGURE_WIDTHS = [246, 172, 234]
/** Below the title, which is part of the artwork. */
const FIGURES_TOP = 270
const NEXT_TOP = 378

/** A name without a single letter that can be drawn counts as none. */
const legible = (content: CardContent, fonts: Fonts): CardContent =>
  typeset(content.name ?? '', fonts).some((run) => !('gap' in run)) ? content : { ...content, name: null }

/** Everything on a card that depends on the participant, and the fonts that it needs. */
export function foregroundOf(content: CardContent, fonts: Fonts): { root: Element; faces: Face[] } {
  const theme = themeOf(content.level)
  const words = wordingOf(legible(content, fonts))
  const used = new Map<string, Face>([[fonts.main.family, fonts.main]])
  const fit = (text: string, sizes: { sizePxMax: number; sizePxMin: number }, widthPx: number): Line => {
    const line = fitLine(text, { fonts, widthPx, ...sizes })
    for (const run of line.runs) if ('face' in run) used.set(run.face.family, run.face)
    return line
  }
  const event = words.dates ? `${words.event}　${words.dates}` : words.event
  const root = box(
    {
      position: 'relative',
      boxSizing: 'border-box',
      width: FOREGROUND.width,
      height: FOREGROUND.height,
      fontFamily: fonts.main.family,
      fontWeight: 700,
      color: theme.ink,
    },
    [
      placed(0, { color: theme.soft }, [lineOf(fit(event, EVENT_SIZES, FOREGROUND.width))]),
      placed(NAME_TOP, { height: 72, alignItems: 'center' }, [
        lineOf(fit(words.name, NAME_SIZES, FOREGROUND.width - 8)),
      ]),
      placed(
        FIGURES_TOP,
        { width: FOREGROUND.width },
        words.figures.map((figure, index) => figureOf(figure, index, theme, fit)),
      ),
      placed(NEXT_TOP, { flexDirection: 'column', width: FOREGROUND.width }, nextOf(words, theme)),
    ],
  )
  return { root, faces: [...used.values()] }
}

/** As a transparent SVG of the size of `FOREGROUND`. */
export const foregroundSvg = (content: CardContent, fonts: Fonts): Promise<string> => {
  const { root, faces } = foregroundOf(content, fonts)
  return satori(root, {
    width: FOREGROUND.width,
    height: FOREGROUND.height,
    fonts: faces.map(({ family, data }) => ({ name: family, data, weight: 700, style: 'normal' })),
  })
}

type Words = ReturnType<typeof wordingOf>
type Fit = (text: string, sizes: { sizePxMax: number; sizePxMin: number }, widthPx: number) => Line

function figureOf(figure: Words['figures'][number], index: number, theme: Theme, fit: Fit): Element {
  const width = FIGURE_WIDTHS[index] ?? 200
  const value = fit(figure.value, FIGURE_SIZES, width - 34 - [...figure.unit].length * 22)
  return box(
    {
      flexDirection: 'column',
      width,
      ...(index > 0 ? { borderLeft: `2px solid ${theme.line}`, paddingLeft: 22 } : {}),
    },
    [
      box({ fontSize: 20, lineHeight: 1.2, color: theme.soft }, figure.label),
      box({ alignItems: 'baseline', marginTop: -4 }, [
        lineOf(value, { lineHeight: 1.15 }),
        box({ fontSize: 22, marginLeft: 8, color: theme.soft }, figure.unit),
      ]),
    ],
  )
}

function nextOf({ next }: Words, theme: Theme): Element[] {
  const bars = next.bars.map(({ text, share }, index) =>
    box({ flexDirection: 'column', width: 300, marginLeft: index > 0 ? 24 : 0 }, [
      box({ width: 300, height: 12, borderRadius: 6, backgroundColor: theme.line }, [
        box(
          { width: Math.max(12, 300 * share), height: 12, borderRadius: 6, backgroundColor: theme.accent },
          '',
        ),
      ]),
      box({ fontSize: 18, marginTop: 6, whiteSpace: 'pre' }, text),
    ]),
  )
  return [
    box({ fontSize: 22, whiteSpace: 'pre' }, next.heading),
    ...(bars.length > 0 ? [box({ marginTop: 8 }, bars)] : []),
  ]
}
