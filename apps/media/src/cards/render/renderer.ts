import type { CardContent } from '../content.ts'
import type { Edition } from '../looks/background.ts'
import { openFonts } from './fonts.ts'
import { foregroundSvg } from './foreground.ts'
import { compose, prepareBackground, rasterise } from './pixels.ts'
import { encodePng, newRows } from './png.ts'

/** Where the time of a card went, in milliseconds. */
export type Spent = { layoutMs: number; rasterMs: number; encodeMs: number }
export type Rendered = { png: Uint8Array<ArrayBuffer>; spent: Spent }

/** Scenes that a renderer keeps at 2.3 MB each: those that a crowd has at one time, not all twenty. */
const BACKGROUNDS_MAX = 8

/** All that draws cards in one thread: fonts, scenes and one canvas, used one card after another. */
export function createRenderer({ fonts = openFonts() } = {}) {
  const backgrounds = new Map<string, Uint8Array>()
  const canvas = newRows()

  const backgroundOf = ({ level, unlocked }: Edition): Uint8Array => {
    const name = `${level}:${unlocked}`
    const rows = backgrounds.get(name) ?? prepareBackground({ level, unlocked })
    backgrounds.delete(name) // and to the end: the first is the one that was not used for longest
    backgrounds.set(name, rows)
    for (const oldest of backgrounds.keys()) {
      if (backgrounds.size <= BACKGROUNDS_MAX) break
      backgrounds.delete(oldest)
    }
    return rows
  }

  return {
    fonts,
    /** Draws a card. Not to be called again before it has settled: there is one canvas. */
    render: async (content: CardContent): Promise<Rendered> => {
      const background = backgroundOf(content)
      const startedAt = performance.now()
      const svg = await foregroundSvg(content, fonts)
      const laidOutAt = performance.now()
      compose(canvas, background, rasterise(svg))
      const drawnAt = performance.now()
      const png = encodePng(canvas)
      return {
        png,
        spent: {
          layoutMs: laidOutAt - startedAt,
          rasterMs: drawnAt - laidOutAt,
          encodeMs: performance.now() - drawnAt,
        },
      }
    },
  }
}
