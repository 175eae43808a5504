import type { Language } from '@palanquin/domain/participant'
import { Resvg } from '@resvg/resvg-js'
import satori from 'satori'
import sharp from 'sharp'
import { at, n } from '../cards/drawing/shapes.ts'
import { cloud } from '../cards/drawing/sky.ts'
import { type Face, openFonts } from '../cards/render/fonts.ts'
import { CELLS, MENU_HEIGHT, MENU_WIDTH, tileAt } from './cells.ts'
import { ICONS } from './icons.ts'

/** LINE takes a megabyte. */
export const PICTURE_BYTES_MAX = 1_048_576
const BASE = '#7c1512'
const BASE_CLOUD = '#8f211c'
const BASE_LINE = '#a8372c'
const CORNER = 54
/** From the top of a tile: the middle of its icon, and where its words begin. */
const ICON_MIDDLE = 300
const ICON_SCALE = 1.06
const WORDS_TOP = 556
const TITLE_PX: Readonly<Record<Language, number>> = { 'zh-TW': 132, en: 120 }
const TEXT_PX = 58
const RGBA = 4

/** The rich menu in a language as a PNG of at most a megabyte, 2500 × 1686. */
export async function drawMenu(language: Language): Promise<Uint8Array<ArrayBuffer>> {
  const words = await wordsSvg(language, openFonts().main)
  const svg = tilesSvg().replace('</svg>', `${words}</svg>`)
  const { pixels, width, height } = new Resvg(svg, {
    font: { loadSystemFonts: false },
    logLevel: 'off',
  }).render()
  const raw = { raw: { width, height, channels: RGBA } } as const
  const png = await sharp(pixels, raw)
    .flatten({ background: BASE })
    .png({ palette: true, effort: 7 })
    .toBuffer()
  if (png.byteLength > PICTURE_BYTES_MAX) throw new Error(`the menu has ${png.byteLength} bytes`)
  return new Uint8Array(png)
}

/** Everything but the words. */
function tilesSvg(): string {
  const tiles = CELLS.map(({ name, fill }, index) => {
    const { x, y, width, height } = tileAt(index)
    const icon = at({ x: x + width / 2, y: y + ICON_MIDDLE, scale: ICON_SCALE }, ICONS[name]())
    return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${CORNER}" fill="${fill}"/>${icon}`
  })
  const clouds = [
    { x: 300, y: 60, scale: 2 },
    { x: 1700, y: 830, scale: 2.4 },
    { x: 900, y: 1640, scale: 2 },
  ].map((spot) => cloud(spot, { fill: BASE_CLOUD, line: BASE_LINE }))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${MENU_WIDTH}" height="${MENU_HEIGHT}" viewBox="0 0 ${MENU_WIDTH} ${MENU_HEIGHT}">` +
    `<rect width="${MENU_WIDTH}" height="${MENU_HEIGHT}" fill="${BASE}"/>${clouds.join('')}${tiles.join('')}</svg>`
  )
}

/** The words of all tiles as outlines on nothing. */
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
          letterSpacing: language === 'en' ? 0 : 8,
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
