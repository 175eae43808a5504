import { lantern, lotus } from '../cards/drawing/offerings.ts'
import { palanquin, pilgrim } from '../cards/drawing/palanquin.ts'
import { at, circle, path, times } from '../cards/drawing/shapes.ts'
import { cloud, sparkle } from '../cards/drawing/sky.ts'
import { temple } from '../cards/drawing/temple.ts'
import type { CellName } from './cells.ts'

const TEMPLE = {
  roof: '#d9483b',
  tile: '#b3261e',
  ridge: '#8d1b17',
  wall: '#fbe7c0',
  beam: '#2f7f79',
  light: '#ffd98a',
}

/** A pin that stands on a place, with a lotus in it. */
const pin = (): string =>
  `<ellipse cx="0" cy="208" rx="120" ry="22" fill="#7c1512" opacity="0.55"/>` +
  path('M0 206C-44 118 -160 52 -160 -62A160 160 0 1 1 160 -62C160 52 44 118 0 206Z', 'fill="#f4c95d"') +
  path(
    'M0 178C-42 98 -138 42 -138 -62A138 138 0 1 1 138 -62C138 42 42 98 0 178Z',
    'fill="none" stroke="#c98a22" stroke-width="7"',
  ) +
  circle({ x: 0, y: -62 }, 106, 'fill="#fff6e6"') +
  lotus({ x: 0, y: 4, scale: 0.92 })

/** Three of a procession, the first with a flag. */
const walkers = (): string =>
  `<ellipse cx="-30" cy="206" rx="296" ry="20" fill="#e7cfa5"/>` +
  pilgrim({ x: -222, y: 200, scale: 2 }, { coat: '#2f7f79', trousers: '#3f4a3c' }) +
  pilgrim({ x: 104, y: 200, scale: 2.65 }, { coat: '#d9483b', trousers: '#2b2d42', flag: '#c1272d' }) +
  pilgrim({ x: -66, y: 204, scale: 2.25 }, { coat: '#f2b84b', trousers: '#4a3b35' })

/** A card with a temple on it, another behind, and light. */
const cards = (): string =>
  at({ x: 34, y: 4, turn: 9 }, `<rect x="-232" y="-150" width="464" height="300" rx="30" fill="#c8322b"/>`) +
  at(
    { x: -6, y: 10, turn: -5 },
    `<rect x="-236" y="-156" width="472" height="312" rx="30" fill="#fffaf0"/>` +
      `<rect x="-212" y="-132" width="424" height="264" rx="18" fill="#bfe3dc"/>` +
      cloud({ x: -110, y: -66, scale: 0.46 }, { fill: '#ffffff', line: '#9fcfc6' }) +
      at({ x: 60, y: 112, scale: 0.62 }, temple({ x: 0, y: 0 }, TEMPLE)) +
      path('M-212 96H212V114A18 18 0 0 1 194 132H-194A18 18 0 0 1 -212 114Z', 'fill="#7fb069"') +
      pilgrim({ x: -128, y: 116, scale: 1.15 }, { coat: '#d9483b', trousers: '#2b2d42', flag: '#c1272d' }),
  ) +
  sparkle({ x: 236, y: -168 }, 60, '#fffaf0') +
  sparkle({ x: -258, y: 120 }, 42, '#fffaf0')

/** A map unfolded, a way on it, and the palanquin where it is now. */
const map = (): string => {
  const folds = ['#9fd0b8', '#bfe0c3', '#9fd0b8']
  const sheets = times(3, (index) => {
    const [x, tilt] = [-285 + index * 190, index % 2 === 0 ? 26 : -26]
    return path(
      `M${x} ${-120 + tilt}L${x + 190} ${-120 - tilt}V${170 - tilt}L${x} ${170 + tilt}Z`,
      `fill="${folds[index] ?? '#bfe0c3'}"`,
    )
  })
  return (
    sheets +
    path(
      'M-285 60Q-180 20 -95 84T95 70T285 106V144L95 196L-95 144L-285 196Z',
      'fill="#6fb7c4" opacity="0.75"',
    ) +
    path(
      'M-240 126C-180 40 -150 150 -80 60S60 96 68 20',
      'fill="none" stroke="#c8322b" stroke-width="15" stroke-linecap="round" stroke-dasharray="2 30"',
    ) +
    circle({ x: -240, y: 126 }, 22, 'fill="#c8322b"') +
    circle({ x: -240, y: 126 }, 9, 'fill="#fff6e6"') +
    palanquin({ x: 76, y: 28, scale: 1.02 })
  )
}

/** Two who talk: one speech bubble with a heart, one with words. */
const talk = (): string =>
  path(
    'M-250 -170H90A56 56 0 0 1 146 -114V10A56 56 0 0 1 90 66H-90L-190 140L-170 66H-250A56 56 0 0 1 -306 10V-114A56 56 0 0 1 -250 -170Z',
    'fill="#fff6e6"',
  ) +
  path(
    'M-80 26C-150 -24 -186 -60 -186 -96C-186 -150 -112 -160 -80 -112C-48 -160 26 -150 26 -96C26 -60 -10 -24 -80 26Z',
    'fill="#d9483b"',
  ) +
  path(
    'M96 22H250A46 46 0 0 1 296 68V142A46 46 0 0 1 250 188H244L262 244L186 188H96A46 46 0 0 1 50 142V68A46 46 0 0 1 96 22Z',
    'fill="#f4c95d"',
  ) +
  [110, 173, 236].map((x) => circle({ x, y: 105 }, 17, 'fill="#7c3a17"')).join('')

/** Lanterns that light the way. */
const lights = (): string =>
  lantern({ x: -190, y: -130, scale: 1.35 }, { glow: '#ffc36b' }) +
  lantern({ x: 190, y: -130, scale: 1.35 }, { glow: '#ffc36b' }) +
  lantern({ x: 0, y: -196, scale: 2.3 }, { glow: '#ffc36b' }) +
  path(
    'M-34 -76C-34 -124 40 -124 40 -72C40 -36 4 -36 4 -2',
    'fill="none" stroke="#fff6e6" stroke-width="21" stroke-linecap="round"',
  ) +
  circle({ x: 4, y: 34 }, 14, 'fill="#fff6e6"')

/** What is drawn on a tile, around its own middle: some 600 wide and 420 high. */
export const ICONS: Readonly<Record<CellName, () => string>> = {
  checkin: pin,
  mileage: walkers,
  card: cards,
  map,
  feedback: talk,
  help: lights,
}
