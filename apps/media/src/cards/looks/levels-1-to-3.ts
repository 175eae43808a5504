import { fields, ridge, swell } from '../drawing/land.ts'
import { censer, smoke } from '../drawing/offerings.ts'
import { procession } from '../drawing/palanquin.ts'
import { at, linear, path, rectangle, times } from '../drawing/shapes.ts'
import { cloud, crane, disc, rays, rings } from '../drawing/sky.ts'
import { temple } from '../drawing/temple.ts'
import type { Look } from './look.ts'

/** 煉氣: the first stick of incense, at daybreak. */
export const QI_REFINING: Look = {
  ink: '#4a1a12',
  soft: '#8a4632',
  accent: '#c2371f',
  line: '#f0b894',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#ffe9cf'],
      [0.45, '#ffd3a6'],
      [0.8, '#ffb27f'],
      [1, '#f58d62'],
    ])}</defs>${rectangle('url(#sky)')}` +
    rays({ x: 950, y: 300 }, { count: 18, reach: 1500, color: '#fff4dc', opacity: 0.22 }) +
    disc('sun', { x: 950, y: 300 }, { radius: 128, color: '#f7643f', glow: '#ffd9a0', reach: 2 }) +
    cloud({ x: 1110, y: 150, scale: 0.6 }, { fill: '#fff0db', line: '#f3b88a', opacity: 0.95 }) +
    cloud({ x: 802, y: 430, scale: 0.56, flip: true }, { fill: '#fff0db', line: '#f3b88a', opacity: 0.95 }) +
    ridge({ seed: 8, top: 590, rise: 90, peaks: 5, fill: '#e3714b', opacity: 0.85 }) +
    ridge({ seed: 21, top: 620, rise: 60, peaks: 7, fill: '#b94530' }) +
    smoke({ x: 930, y: 338, scale: 0.95 }, '#fff7ea', 0.85) +
    censer({ x: 950, y: 606, scale: 1.04 }),
}

/** 築基: the house is built, brick on brick. */
export const FOUNDATION: Look = {
  ink: '#3a2418',
  soft: '#7a563e',
  accent: '#b5482a',
  line: '#e0c3a0',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#e7f1ee'],
      [0.55, '#f8ecd3'],
      [1, '#f3d7ad'],
    ])}</defs>${rectangle('url(#sky)')}` +
    disc('sun', { x: 1080, y: 130 }, { radius: 50, color: '#f39c55', glow: '#fbd7a3' }) +
    ridge({ seed: 44, top: 520, rise: 190, peaks: 4, fill: '#a9c3b4', opacity: 0.65 }) +
    ridge({ seed: 15, top: 580, rise: 110, peaks: 5, fill: '#7da38e', opacity: 0.7 }) +
    cloud({ x: 812, y: 232, scale: 0.5 }, { fill: '#ffffff', line: '#e5cda6', opacity: 0.9 }) +
    temple(
      { x: 946, y: 540, scale: 0.98 },
      {
        roof: '#d5653a',
        tile: '#b34a27',
        ridge: '#8c2f1e',
        wall: '#efe0c2',
        beam: '#2f6f66',
        light: '#f6cf6a',
      },
    ) +
    bricks(),
}

const bricks = (): string =>
  times(3, (row) =>
    times(22, (column) => {
      const x = column * 60 - (row % 2) * 30 - 30
      const fill = ['#c76a45', '#b95a38', '#d07a52', '#bd6340'][(column * 7 + row * 3) % 4] ?? '#c76a45'
      return `<rect x="${x}" y="${556 + row * 26}" width="57" height="23" rx="2" fill="${fill}"/>`
    }),
  )

/** 金丹: fields of ripe rice under a sun like a pearl. */
export const GOLDEN_CORE: Look = {
  ink: '#4a3206',
  soft: '#856318',
  accent: '#b3690b',
  line: '#ecd284',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#fff6d6'],
      [0.5, '#ffe9a3'],
      [1, '#ffd66a'],
    ])}</defs>${rectangle('url(#sky)')}` +
    rings({ x: 960, y: 230 }, { radii: [150, 184, 222, 264], color: '#f0a928' }) +
    disc('sun', { x: 960, y: 230 }, { radius: 112, color: '#ffc02e', glow: '#fff3bf', reach: 2.2 }) +
    path(
      'M900 196Q926 150 980 148',
      'stroke="#fff6d8" stroke-width="13" stroke-linecap="round" fill="none" opacity="0.9"',
    ) +
    crane({ x: 812, y: 160, scale: 0.62 }) +
    crane({ x: 1090, y: 96, scale: 0.42 }) +
    ridge({ seed: 3, top: 530, rise: 100, peaks: 4, fill: '#9fb56a', opacity: 0.75 }) +
    fields({ top: 520, near: '#e9b93f', far: '#c9c157', lines: '#b98718', focus: 930 }) +
    at({ x: 0, y: 0 }, procession({ x: 800, y: 590, scale: 0.62, count: 6, gap: 62 })) +
    swell({ top: 616, height: 8, length: 90, fill: '#c48a17' }),
}
