/** SVG by hand: numbers kept short, chance from a seed, so that a drawing is the same on every machine. */

/** The card's size in pixels: what chat platforms and social networks show whole. */
export const CARD_WIDTH = 1200
export const CARD_HEIGHT = 630

export type Spot = { x: number; y: number }

/** A number as short as a drawing needs it. */
export const n = (value: number): string => String(Math.round(value * 10) / 10)

/** A group moved to a spot, scaled, and turned by degrees. */
export const at = (
  { x, y, scale = 1, turn = 0, flip = false }: Spot & { scale?: number; turn?: number; flip?: boolean },
  content: string,
): string =>
  `<g transform="translate(${n(x)} ${n(y)})${turn ? ` rotate(${n(turn)})` : ''} scale(${flip ? -scale : scale} ${scale})">${content}</g>`

export const path = (d: string, attributes: string): string => `<path d="${d}" ${attributes}/>`

export const circle = ({ x, y }: Spot, radius: number, attributes: string): string =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" ${attributes}/>`

/** Numbers from 0 to 1 that look like chance (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `count` things, each drawn with its index. */
export const times = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw(index)).join('')

/** A smooth line through points, as path commands after the first point. */
export function smooth(points: readonly Spot[]): string {
  let d = ''
  for (let i = 1; i < points.length; i++) {
    const [from, to] = [points[i - 1], points[i]]
    if (!from || !to) continue
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
    d += `Q${n(from.x)} ${n(from.y)} ${n(middle.x)} ${n(middle.y)}`
  }
  const last = points.at(-1)
  return last ? `${d}L${n(last.x)} ${n(last.y)}` : d
}

export type Stop = readonly [at: number, color: string, opacity?: number]

const stopsOf = (stops: readonly Stop[]): string =>
  stops
    .map(
      ([offset, color, opacity]) =>
        `<stop offset="${offset}" stop-color="${color}"${opacity === undefined ? '' : ` stop-opacity="${opacity}"`}/>`,
    )
    .join('')

/** A gradient from top to bottom (or along `x2`, `y2` of the box). */
export const linear = (
  id: string,
  stops: readonly Stop[],
  { x2 = 0, y2 = 1 }: { x2?: number; y2?: number } = {},
): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="${x2}" y2="${y2}">${stopsOf(stops)}</linearGradient>`

/** A gradient from the middle outwards. */
export const radial = (id: string, stops: readonly Stop[]): string =>
  `<radialGradient id="${id}">${stopsOf(stops)}</radialGradient>`

export const rectangle = (fill: string, attributes = ''): string =>
  `<rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="${fill}" ${attributes}/>`
