import { editionName } from '../../themes/themes.ts'
import type { CardContent } from './content.ts'
import { openFonts } from './fonts.ts'
import { foregroundSvg } from './foreground.ts'
import { compose, prepareScene, rasterise, type Scene } from './pixels.ts'
import { encodePng, ROWS_BYTES } from './png.ts'

/** The time of a card by stage, in milliseconds. */
export type Spent = { layoutMs: number; rasterMs: number; encodeMs: number }
type Rendered = { png: Uint8Array<ArrayBuffer>; scene: Scene; spent: Spent }

/** The renderer of one thread: fonts and one canvas for one card at a time. */
export function createRenderer({ fonts = openFonts() } = {}) {
  const canvas = new Uint8Array(ROWS_BYTES)
  const scenes = new Map<string, Scene>()

  const sceneOf = (content: CardContent, known: Scene | undefined): Scene => {
    const name = editionName(content)
    const scene = known ?? scenes.get(name) ?? prepareScene(content)
    scenes.set(name, scene)
    return scene
  }

  return {
    fonts,
    /** Renders a card on a known scene or its own. Not to be called before it has settled: there is one canvas. */
    render: async (content: CardContent, known?: Scene): Promise<Rendered> => {
      const scene = sceneOf(content, known)
      const startedAt = performance.now()
      const svg = await foregroundSvg(content, fonts)
      const laidOutAt = performance.now()
      compose(canvas, scene, rasterise(svg))
      const drawnAt = performance.now()
      const png = encodePng(canvas)
      return {
        png,
        scene,
        spent: {
          layoutMs: laidOutAt - startedAt,
          rasterMs: drawnAt - laidOutAt,
          encodeMs: performance.now() - drawnAt,
        },
      }
    },
  }
}
