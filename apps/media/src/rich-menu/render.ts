import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language, Localized } from '@palanquin/domain/language'
import { Resvg } from '@resvg/resvg-js'
import satori from 'satori'
import sharp from 'sharp'
import { type Face, openFonts } from '../cards/render/fonts.ts'
import { CELLS, MENU_HEIGHT, MENU_WIDTH, tileAt } from './cells.ts'

/** LINE's limit. */
export const IMAGE_BYTES_MAX = 1_048_576
const BASE = '#7c1512'
/** Everything but the words: tiles and icons, in the order of `CELLS`. */
const TILES_FILE = join(import.meta.dir, 'tiles.svg')
/** Pixels from the top of a tile to its words. */
const WORDS_TOP = 556
const TITLE_PX: Localized<number> = { 'zh-TW': 132, en: 120 }
const TITLE_SPACING_PX: Localized<number> = { 'zh-TW': 8, en: 0 }
const TEXT_PX = 58
const RGBA = 4

/** The rich menu in a language as a PNG of at most a megabyte, 2500 × 1686. */
export async function renderMenu(language: Language): Promise<Uint8Array<ArrayBuffer>> {
  const words = await wordsSvg(language, openFonts().main)
  const tiles = readFileSync(TILES_FILE, 'utf8')
  const svg = `${tiles.slice(0, tiles.lastIndexOf('</svg>'))}${words}</svg>`
  const { pixels, width, height } = new Resvg(svg, {
    font: { loadSystemFonts: false },
    logLevel: 'off',
  }).render()
  const raw = { raw: { width, height, channels: RGBA } } as const
  const png = await sharp(pixels, raw)
    .flatten({ background: BASE })
    .png({ palette: true, effort: 7 })
    .toBuffer()
  if (png.byteLength > IMAGE_BYTES_MAX) throw new Error(`the menu has ${png.byteLength} bytes`)
  return new Uint8Array(png)
}

/** The words of all tiles as a transparent SVG of outlines. */
function wordsSvg(language: Language, face: Face): Promise<string> {
  const column = (style: object, children: unknown) => ({
    type: 'div',
    props: { style: { display: 'flex', ...style }, children },
  })
  const tiles = CELLS.map(({ ink, soft, words }, index) => {
    const { x, y, width } = tileAt(index)
    const { title, text } = words[language]
    const place = {
      position: 'absolute',
      left: x,
      top: y + WORDS_TOP,
      width,
      flexDirection: 'column',
      alignItems: 'center',
    }
    return column(place, [
      column(
        {
          fontSize: TITLE_PX[language],
          lineHeight: 1.15,
          color: ink,
          letterSpacing: TITLE_SPACING_PX[language],
        },
        title,
      ),
      column({ fontSize: TEXT_PX, lineHeight: 1.3, color: soft }, text),
    ])
  })
  return satori(
    column({ position: 'relative', width: MENU_WIDTH, height: MENU_HEIGHT, fontFamily: face.family }, tiles),
    {
      width: MENU_WIDTH,
      height: MENU_HEIGHT,
      fonts: [{ name: face.family, data: face.data, weight: 700, style: 'normal' }],
    },
  )
}
