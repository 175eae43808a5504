import { ridge, seaScales, swell } from '../drawing/land.ts'
import { lantern, lotus, lotusLeaf } from '../drawing/offerings.ts'
import { palanquin, procession } from '../drawing/palanquin.ts'
import { linear, path, rectangle, times } from '../drawing/shapes.ts'
import { cloud, crane, disc, sparkle, stars } from '../drawing/sky.ts'
import type { Look } from './look.ts'

/** 元嬰: a lotus opens on the pond. */
export const NASCENT_SOUL: Look = {
  ink: '#1f3d34',
  soft: '#4c7264',
  accent: '#c93f70',
  line: '#b9d9c6',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#e9f7ee'],
      [0.5, '#d6f0e2'],
      [1, '#bfe6d6'],
    ])}</defs>${rectangle('url(#sky)')}` +
    disc('sun', { x: 930, y: 220 }, { radius: 140, color: '#fbd0d6', glow: '#fff4ee', reach: 1.9 }) +
    ridge({ seed: 27, top: 440, rise: 120, peaks: 5, fill: '#a6d3c0', opacity: 0.8 }) +
    swell({ top: 470, height: 6, length: 260, fill: '#7fc1b0' }) +
    swell({ top: 520, height: 8, length: 200, shift: 60, fill: '#5fab9d' }) +
    swell({ top: 574, height: 10, length: 240, shift: 20, fill: '#438d84' }) +
    cloud({ x: 1100, y: 120, scale: 0.55 }, { fill: '#ffffff', line: '#bfe0d2', opacity: 0.95 }) +
    cloud({ x: 800, y: 316, scale: 0.5, flip: true }, { fill: '#ffffff', line: '#bfe0d2', opacity: 0.9 }) +
    lotusLeaf({ x: 780, y: 560, scale: 1 }, '#2f7c63', '#66ab8c') +
    lotusLeaf({ x: 1120, y: 530, scale: 1.1 }, '#2f7c63', '#66ab8c') +
    lotusLeaf({ x: 950, y: 592, scale: 1.4 }, '#256a55', '#5da283') +
    path(
      'M1088 520Q1096 450 1082 392',
      'stroke="#2f7c63" stroke-width="8" fill="none" stroke-linecap="round"',
    ) +
    lotus({ x: 1082, y: 400, scale: 0.5 }) +
    path('M800 552Q790 500 806 462', 'stroke="#2f7c63" stroke-width="7" fill="none" stroke-linecap="round"') +
    lotus({ x: 806, y: 470, scale: 0.4 }) +
    lotus({ x: 950, y: 574, scale: 1.85 }),
}

/** 化神: lanterns rise into the dusk. */
export const SPIRIT: Look = {
  ink: '#fff3e2',
  soft: '#e6c3d4',
  accent: '#ffcf6e',
  line: '#8a5585',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#38225c'],
      [0.5, '#6b2f6d'],
      [0.82, '#b14a6a'],
      [1, '#e07a5f'],
    ])}</defs>${rectangle('url(#sky)')}` +
    stars({ seed: 77, count: 80, color: '#ffe9c9', below: 380 }) +
    ridge({ seed: 19, top: 560, rise: 120, peaks: 5, fill: '#5b2659', opacity: 0.75 }) +
    ridge({ seed: 6, top: 610, rise: 76, peaks: 6, fill: '#3a1a47' }) +
    [
      { x: 830, y: 330, scale: 0.62 },
      { x: 760, y: 150, scale: 0.4 },
      { x: 1010, y: 70, scale: 0.5 },
      { x: 1140, y: 210, scale: 0.62 },
      { x: 1100, y: 420, scale: 0.46 },
      { x: 900, y: 96, scale: 0.3 },
    ]
      .map((spot) => lantern(spot))
      .join('') +
    lantern({ x: 970, y: 220, scale: 1.5 }) +
    sparkle({ x: 876, y: 250 }, 22, '#fff0c2') +
    sparkle({ x: 1082, y: 168 }, 16, '#fff0c2') +
    procession({ x: 800, y: 622, scale: 0.5, count: 8, gap: 50 }),
}

/** 煉虛: along the sea, where the waves turn upon themselves. */
export const VOID: Look = {
  ink: '#f3fbfa',
  soft: '#b9e0de',
  accent: '#ffd27a',
  line: '#3b7f8c',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#0f3f57'],
      [0.55, '#1f6f7f'],
      [1, '#4aa3a0'],
    ])}</defs>${rectangle('url(#sky)')}` +
    disc('moon', { x: 960, y: 210 }, { radius: 110, color: '#fdf0cf', glow: '#e6f6e6', reach: 2 }) +
    spiral() +
    cloud({ x: 822, y: 312, scale: 0.58 }, { fill: '#dff2ee', line: '#6fb3b3', opacity: 0.92 }) +
    cloud({ x: 1130, y: 130, scale: 0.56, flip: true }, { fill: '#dff2ee', line: '#6fb3b3', opacity: 0.92 }) +
    crane({ x: 1096, y: 350, scale: 0.6, turn: -6 }) +
    palanquin({ x: 960, y: 520, scale: 0.78 }) +
    boat() +
    seaScales({ top: 592, radius: 50, fills: ['#2d8791', '#23717f', '#1b5c6d', '#14495b'], line: '#d9f1ec' }),
}

const boat = (): string =>
  path('M730 512Q960 552 1190 512Q1156 606 1080 616H840Q764 606 730 512Z', 'fill="#7a2f22"') +
  path('M730 512Q960 552 1190 512L1184 531Q960 571 736 531Z', 'fill="#f0c35a"') +
  times(5, (index) => `<circle cx="${840 + index * 60}" cy="572" r="9" fill="#f0c35a"/>`)

const spiral = (): string =>
  path(
    'M960 210c0 -14 20 -14 22 2c2 24 -36 28 -44 2c-8 -36 44 -54 68 -18c24 46 -28 88 -76 64c-54 -32 -44 -118 26 -124',
    'fill="none" stroke="#d9b05e" stroke-width="6" stroke-linecap="round" opacity="0.7"',
  )
