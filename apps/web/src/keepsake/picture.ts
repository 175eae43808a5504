import { DAY_COLOURS, dayColour, GROUND } from './colours.ts'
import { type Drawn, type LngLat, pathOf, type Sheet } from './drawing.ts'

const COLOURS = GROUND.light
const DARK = GROUND.dark
const NUMBER = `class="number" font-family="system-ui,sans-serif" font-size="13" font-weight="700" fill="${COLOURS.number}" text-anchor="middle" dominant-baseline="central"`

/** Days beyond the ninth begin with the colours again. */
const colourOf = (index: number): number => index % DAY_COLOURS.dark.length

/** A dark scheme for documents with these pictures. */
export const DARK_PICTURE = [
  '@media(prefers-color-scheme:dark){',
  ...DAY_COLOURS.dark.map((colour, index) => `.way-${index}{stroke:${colour}}.mark-${index}{fill:${colour}}`),
  ...[
    `.sea{fill:${DARK.sea}}`,
    `.land{fill:${DARK.land};stroke:${DARK.border}}`,
    `.gaps{stroke:${DARK.gap}}`,
  ],
  ...[
    `.dot{fill:${DARK.land};stroke:${DARK.ink}}`,
    `.moon{fill:${DARK.ink}}`,
    `.number{fill:${DARK.number}}`,
  ],
  ...DAY_COLOURS.dark.map((_, index) => `.mark-${index}{stroke:${DARK.land}}`),
  '}',
].join('')

/** A number of a day in its colour, as SVG. */
export const dayMark = (index: number, [x, y]: readonly [number, number]): string =>
  `<circle class="mark-${colourOf(index)}" cx="${x}" cy="${y}" r="11" fill="${dayColour(index, 'light')}" stroke="${COLOURS.land}" stroke-width="2"/><text x="${x}" y="${y}" ${NUMBER}>${index + 1}</text>`

/** The walk on a sheet as SVG. Numbers alone go into it; `label` is escaped by the caller. */
export function pictureOf({
  drawn: { days, gaps, nights },
  sheet: { width, height, at, land },
  photos,
  label,
}: {
  drawn: Drawn
  sheet: Sheet
  photos: readonly LngLat[]
  label: string
}): string {
  const line = (places: readonly LngLat[]) => pathOf(places.map(at))
  const ways = days.map(
    ({ lines, index }) =>
      `<path class="way-${colourOf(index)}" d="${lines.map(line).join('')}" stroke="${dayColour(index, 'light')}" stroke-width="4"/>`,
  )
  const dots = photos.map((place) => {
    const [x, y] = at(place)
    return `<circle class="dot" cx="${x}" cy="${y}" r="5" fill="${COLOURS.land}" stroke="${COLOURS.ink}" stroke-width="2"/>`
  })
  const moons = nights.map((place) => {
    const [x, y] = at(place)
    return `<text class="moon" x="${x + 12}" y="${y - 10}" font-size="20" fill="${COLOURS.ink}">☾</text>`
  })
  const marks = days.flatMap(({ start, index }) => (start === null ? [] : dayMark(index, at(start))))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<rect class="sea" width="${width}" height="${height}" fill="${COLOURS.sea}"/>`,
    `<path class="land" d="${land}" fill="${COLOURS.land}" stroke="${COLOURS.border}"/>`,
    `<path class="gaps" d="${gaps.map(line).join('')}" fill="none" stroke="${COLOURS.gap}" stroke-width="2" stroke-dasharray="6 6"/>`,
    `<g fill="none" stroke-linecap="round" stroke-linejoin="round">${ways.join('')}</g>`,
    ...[...dots, ...moons, ...marks, '</svg>'],
  ].join('')
}
