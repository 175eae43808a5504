import { graphemesOf } from './display-name.ts'
import type { Fonts } from './fonts.ts'
import { type Run, typeset, widthOf } from './typeset.ts'

const ELLIPSIS = '…'

/** A line as it is set: its runs, and the size at which it fits. */
export type Line = { runs: Run[]; sizePx: number }

/** Sets a text on one line of `widthPx`: smaller when it is longer, and cut with an ellipsis at `sizePxMin`. */
export function fitLine(
  text: string,
  {
    fonts,
    widthPx,
    sizePxMax,
    sizePxMin,
  }: { fonts: Fonts; widthPx: number; sizePxMax: number; sizePxMin: number },
): Line {
  const runs = typeset(text, fonts)
  const sizePx = Math.floor(widthPx / Math.max(widthOf(runs), 0.01))
  if (sizePx >= sizePxMin) return { runs, sizePx: Math.min(sizePx, sizePxMax) }
  const widthEm = widthPx / sizePxMin
  const graphemes = graphemesOf(text)
  let fits = 0
  let beyond = graphemes.length
  while (beyond - fits > 1) {
    const middle = (fits + beyond) >> 1
    if (widthOf(typeset(graphemes.slice(0, middle).join('').trimEnd() + ELLIPSIS, fonts)) <= widthEm)
      fits = middle
    else beyond = middle
  }
  return { runs: typeset(graphemes.slice(0, fits).join('').trimEnd() + ELLIPSIS, fonts), sizePx: sizePxMin }
}
