import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The size of a card in pixels, which chat platforms and social networks show uncropped. */
export const CARD_WIDTH = 1200
export const CARD_HEIGHT = 630

/** The artwork of a level (0: not yet checked in), festive once the achievement is unlocked. */
export type Edition = { level: number; unlocked: boolean }

/** A name for each of the twenty editions. */
export const editionName = ({ level, unlocked }: Edition): string => `${level}${unlocked ? ' unlocked' : ''}`

/** The colours of what is written on the artwork of a level. */
export type Theme = {
  /** Of names and figures. */
  ink: string
  /** Of the event and the labels. */
  soft: string
  /** Of the title, which is part of the artwork, and of the filled part of a progress bar. */
  accent: string
  /** Of the empty part of a progress bar, and of the lines between figures. */
  line: string
}

/** By level. */
const THEMES: readonly Theme[] = [
  { ink: '#43392f', soft: '#75675a', accent: '#a8452f', line: '#d9ccb9' },
  { ink: '#4a1a12', soft: '#8a4632', accent: '#c2371f', line: '#f0b894' },
  { ink: '#3a2418', soft: '#7a563e', accent: '#b5482a', line: '#e0c3a0' },
  { ink: '#4a3206', soft: '#856318', accent: '#b3690b', line: '#ecd284' },
  { ink: '#1f3d34', soft: '#4c7264', accent: '#c93f70', line: '#b9d9c6' },
  { ink: '#fff3e2', soft: '#e6c3d4', accent: '#ffcf6e', line: '#8a5585' },
  { ink: '#f3fbfa', soft: '#b9e0de', accent: '#ffd27a', line: '#3b7f8c' },
  { ink: '#4b1020', soft: '#8f3f4d', accent: '#c2203f', line: '#f9d6cf' },
  { ink: '#fff4d9', soft: '#d9cfa2', accent: '#ffd35c', line: '#5b9a80' },
  { ink: '#fff8e4', soft: '#c9c8ee', accent: '#ffd76a', line: '#4b4a8c' },
]

/** @throws RangeError for an unknown level */
export function themeOf(level: number): Theme {
  const theme = THEMES[level]
  if (!theme) throw new RangeError(`there is no card of level ${level}`)
  return theme
}

/** The elements in an artwork, without the `<svg>` around them. */
function artwork(name: string): string {
  const svg = readFileSync(join(import.meta.dir, `${name}.svg`), 'utf8')
  return svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>'))
}

/** Everything that all cards of an edition have in common, as one SVG. */
export function backgroundSvg({ level, unlocked }: Edition): string {
  themeOf(level)
  const parts = [artwork(`level-${level}`), ...(unlocked ? [artwork('achievement')] : [])]
  const size = `width="${CARD_WIDTH}" height="${CARD_HEIGHT}" viewBox="0 0 ${CARD_WIDTH} ${CARD_HEIGHT}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${parts.join('')}</svg>`
}
