import { readFileSync } from 'node:fs'
import type { Line } from './fit.ts'
import { EMOJI_WIDTH_EM } from './typeset.ts'

type Style = Record<string, string | number>
export type Element = {
  type: string
  props: { style: Style; children?: Child; src?: string; width?: number; height?: number }
}
type Child = string | Element | Element[]

/** A flex box. */
export const box = (style: Style, children: Child): Element => ({
  type: 'div',
  props: { style: { display: 'flex', ...style }, children },
})
/** Positioned from the corner of the foreground. */
export const placed = (top: number, style: Style, children: Child): Element =>
  box({ position: 'absolute', left: 0, top, ...style }, children)

/** A line as text nodes and emoji: text of participants is never read as markup or followed as a link. */
export const lineOf = ({ runs, sizePx }: Line, style: Style = {}): Element =>
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
