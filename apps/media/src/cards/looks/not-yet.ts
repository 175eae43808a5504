import { ridge } from '../drawing/land.ts'
import { lantern } from '../drawing/offerings.ts'
import { at, linear, path, rectangle, times } from '../drawing/shapes.ts'
import { cloud, disc } from '../drawing/sky.ts'
import { swallowRoof } from '../drawing/temple.ts'
import type { Look } from './look.ts'

/** Before the first check-in: an open gate in the morning mist, and a road that begins. */
export const NOT_YET: Look = {
  ink: '#43392f',
  soft: '#75675a',
  accent: '#a8452f',
  line: '#d9ccb9',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#f7f1e6'],
      [0.6, '#f1e4d0'],
      [1, '#e6d3b8'],
    ])}</defs>${rectangle('url(#sky)')}` +
    disc('sun', { x: 930, y: 190 }, { radius: 66, color: '#f6d3a8', glow: '#fbe3c0' }) +
    ridge({ seed: 12, top: 420, rise: 150, peaks: 4, fill: '#d9cdb9', opacity: 0.7 }) +
    ridge({ seed: 5, top: 480, rise: 120, peaks: 5, fill: '#c6b89f', opacity: 0.75 }) +
    ridge({ seed: 31, top: 560, rise: 70, peaks: 6, fill: '#a99a7f', opacity: 0.85 }) +
    path(
      'M800 630Q890 580 930 530L942 470Q950 440 940 410H966Q976 440 980 470L992 530Q1040 590 1140 630Z',
      'fill="#f3e6cf"',
    ) +
    gate() +
    cloud({ x: 800, y: 440, scale: 0.62 }, { fill: '#fbf5ea', line: '#e6d8c0', opacity: 0.9 }) +
    cloud({ x: 1150, y: 360, scale: 0.6, flip: true }, { fill: '#fbf5ea', line: '#e6d8c0', opacity: 0.85 }),
}

/** A village gate of three bays under a swallow-tailed roof. */
const gate = (): string =>
  at(
    { x: 960, y: 530 },
    [-124, -62, 62, 124]
      .map(
        (x) =>
          `<rect x="${x - 10}" y="-190" width="20" height="190" fill="#a8452f"/><rect x="${x - 14}" y="-14" width="28" height="14" fill="#8d7a63"/>`,
      )
      .join('') +
      '<rect x="-134" y="-196" width="268" height="20" fill="#7c3323"/><rect x="-134" y="-150" width="268" height="12" fill="#7c3323"/>' +
      '<rect x="-44" y="-186" width="88" height="44" rx="4" fill="#5d2a1d"/>' +
      times(3, (index) => `<circle cx="${-24 + index * 24}" cy="-164" r="7" fill="#e6b95c"/>`) +
      at({ x: 0, y: -262 }, swallowRoof(160, { roof: '#b98a5c', tile: '#9a6f45', ridge: '#6f4b33' })) +
      lantern({ x: -93, y: -136, scale: 0.42 }) +
      lantern({ x: 93, y: -136, scale: 0.42 }),
  )
