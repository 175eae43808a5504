import { Resvg } from '@resvg/resvg-js'
import { backgroundSvg, CARD_HEIGHT, CARD_WIDTH, type Edition } from '../../themes/themes.ts'
import { FOREGROUND } from './foreground.ts'
import { CHANNELS, ROW_BYTES, ROWS_BYTES } from './png.ts'

const RGBA = 4

/** Renders an SVG, four bytes a pixel, without fonts of the machine: all its text is outlines. */
export const rasterise = (svg: string): Uint8Array =>
  new Resvg(svg, { font: { loadSystemFonts: false }, logLevel: 'off' }).render().pixels

/** A background as the rows of a PNG, in memory that threads share. */
export type Scene = SharedArrayBuffer

export function prepareScene(edition: Edition): Scene {
  const pixels = rasterise(backgroundSvg(edition))
  const scene = new SharedArrayBuffer(ROWS_BYTES)
  const rows = new Uint8Array(scene)
  for (let y = 0; y < CARD_HEIGHT; y++)
    for (let x = 0; x < CARD_WIDTH; x++)
      for (let channel = 0; channel < CHANNELS; channel++)
        rows[y * ROW_BYTES + 1 + x * CHANNELS + channel] = pixels[(y * CARD_WIDTH + x) * RGBA + channel] ?? 0
  return scene
}

/** Blends a foreground over a scene into `card`. */
export function compose(card: Uint8Array, scene: Scene, foreground: Uint8Array): void {
  card.set(new Uint8Array(scene))
  const { left, top, width, height } = FOREGROUND
  for (let y = 0; y < height; y++) {
    let to = (top + y) * ROW_BYTES + 1 + left * CHANNELS
    let from = y * width * RGBA
    for (let x = 0; x < width; x++, from += RGBA, to += CHANNELS) {
      const alpha = foreground[from + 3] ?? 0
      if (alpha === 0) continue
      const rest = 255 - alpha
      // The renderer's colours are already multiplied by their alpha.
      for (let channel = 0; channel < CHANNELS; channel++)
        card[to + channel] =
          (foreground[from + channel] ?? 0) + Math.round(((card[to + channel] ?? 0) * rest) / 255)
    }
  }
}
