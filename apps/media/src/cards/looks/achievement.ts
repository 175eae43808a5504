import { letters, lettersWidth } from '../drawing/lettering.ts'
import { at, CARD_HEIGHT, CARD_WIDTH, linear, path, type Spot, times } from '../drawing/shapes.ts'
import { sparkle } from '../drawing/sky.ts'

export const SEAL_WORDS = ['功德', '圓滿'] as const
const DRAPE_BOWS = 8

/** What lies over a scene once everything is fulfilled: the festive drape, a frame of gold, and the seal. */
export const achievementEdition = (): string =>
  `<defs>${linear(
    'gold',
    [
      [0, '#b9811f'],
      [0.25, '#f9e08a'],
      [0.5, '#d29a2c'],
      [0.75, '#fff0ae'],
      [1, '#b27a1c'],
    ],
    { x2: 1 },
  )}${linear('drape', [
    [0, '#8e1220'],
    [1, '#cf2a2f'],
  ])}</defs>${drape()}${frame()}${seal({ x: 634, y: 258 })}${glitter()}`

/** The cloth that is hung over doors on feast days: eight bows with a fringe. */
function drape(): string {
  const width = CARD_WIDTH / DRAPE_BOWS
  const bow = (index: number) =>
    at(
      { x: index * width, y: 0 },
      path(`M0 0H${width}V34Q${width * 0.5} 78 0 34Z`, 'fill="url(#drape)"') +
        path(`M0 34Q${width * 0.5} 78 ${width} 34`, 'fill="none" stroke="url(#gold)" stroke-width="5"') +
        path(
          `M0 22Q${width * 0.5} 60 ${width} 22`,
          'fill="none" stroke="#f6cf6a" stroke-width="2" opacity="0.7"',
        ) +
        times(9, (step) => {
          const share = (step + 1) / 10
          const y = 34 + 88 * share * (1 - share)
          return path(
            `M${(width * share).toFixed(1)} ${y.toFixed(1)}v13`,
            'stroke="#f6cf6a" stroke-width="3" stroke-linecap="round"',
          )
        }) +
        sparkle({ x: width / 2, y: 30 }, 11, '#f9e08a'),
    )
  return times(DRAPE_BOWS, bow)
}

/** Two lines of gold, and a meander in each corner. */
function frame(): string {
  const line = (inset: number, width: number, attributes: string, radius = 10) =>
    `<rect x="${inset}" y="${inset}" width="${CARD_WIDTH - inset * 2}" height="${CARD_HEIGHT - inset * 2}" rx="${radius}" fill="none" stroke-width="${width}" ${attributes}/>`
  const corner = (x: number, y: number, mirrored: string) =>
    `<g transform="translate(${x} ${y}) scale(${mirrored})">${path(
      'M0 92V0H92M16 72V16H72V44H40V32H58',
      'fill="none" stroke="url(#gold)" stroke-width="6" stroke-linejoin="round"',
    )}</g>`
  return (
    line(9, 18, 'stroke="#7a1420"', 0) +
    line(9, 12, 'stroke="url(#gold)"') +
    line(24, 2.5, 'stroke="url(#gold)" opacity="0.9"') +
    corner(34, CARD_HEIGHT - 34, '0.62 -0.62') +
    corner(CARD_WIDTH - 34, CARD_HEIGHT - 34, '-0.62 -0.62')
  )
}

/** The seal of who has fulfilled what they vowed. */
function seal(spot: Spot): string {
  const size = 50
  const words = SEAL_WORDS.map((word, row) =>
    letters(word, {
      x: -lettersWidth(word, { size, spacing: 2 }) / 2,
      y: -7 + row * 51,
      size,
      spacing: 2,
      fill: '#fff4dc',
    }),
  ).join('')
  return at(
    { ...spot, turn: -7 },
    '<rect x="-66" y="-66" width="132" height="132" rx="16" fill="#c1201f"/>' +
      '<rect x="-58" y="-58" width="116" height="116" rx="11" fill="none" stroke="#fff4dc" stroke-width="4"/>' +
      words,
  )
}

const glitter = (): string =>
  [
    [550, 202, 15],
    [720, 188, 20],
    [718, 328, 12],
    [554, 324, 10],
    [1142, 92, 18],
    [748, 96, 12],
  ]
    .map(
      ([x = 0, y = 0, size = 10]) =>
        sparkle({ x, y }, size + 3, '#a86f12', 0.5) + sparkle({ x, y }, size, '#ffe79a'),
    )
    .join('')
