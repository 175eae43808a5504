import { ridge } from '../drawing/land.ts'
import { lantern, smoke } from '../drawing/offerings.ts'
import { banner, palanquin, pilgrim, procession } from '../drawing/palanquin.ts'
import { linear, path, rectangle, times } from '../drawing/shapes.ts'
import { cloud, crane, disc, rays, sparkle, stars } from '../drawing/sky.ts'
import { temple } from '../drawing/temple.ts'
import type { Look } from './look.ts'

/** 合體: everybody together behind the palanquin. */
export const UNITY: Look = {
  ink: '#4b1020',
  soft: '#8f3f4d',
  accent: '#c2203f',
  line: '#f9d6cf',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#ffeef0'],
      [0.5, '#ffdcd2'],
      [1, '#ffc7ad'],
    ])}</defs>${rectangle('url(#sky)')}` +
    disc('sun', { x: 980, y: 210 }, { radius: 118, color: '#ff9d76', glow: '#fff0dc', reach: 2 }) +
    ridge({ seed: 9, top: 470, rise: 130, peaks: 4, fill: '#f0a790', opacity: 0.7 }) +
    ridge({ seed: 52, top: 530, rise: 80, peaks: 6, fill: '#d97b70', opacity: 0.8 }) +
    cloud({ x: 1120, y: 110, scale: 0.5 }, { fill: '#fff8f4', line: '#f4bfae', opacity: 0.95 }) +
    path('M0 586Q600 540 1200 566V630H0Z', 'fill="#9c3340"') +
    path('M0 606Q600 570 1200 596V630H0Z', 'fill="#7f2536"') +
    banner({ x: 722, y: 598, scale: 0.6 }, { cloth: '#c1272d', trim: '#f4c95d' }) +
    procession({ x: 62, y: 612, scale: 0.42, count: 14, gap: 44 }) +
    palanquin({ x: 964, y: 532, scale: 0.9 }) +
    [774, 832, 1092, 1150]
      .map((x, index) =>
        pilgrim(
          { x, y: 606, scale: 0.98 },
          { coat: index % 2 ? '#f4efe2' : '#f2b84b', trousers: index % 2 ? '#2b2d42' : '#7f2536' },
        ),
      )
      .join(''),
}

/** 大乘: the great temple, and cranes above it. */
export const MAHAYANA: Look = {
  ink: '#fff4d9',
  soft: '#d9cfa2',
  accent: '#ffd35c',
  line: '#5b9a80',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#0d3b34'],
      [0.6, '#1b5f4c'],
      [1, '#2f7f5f'],
    ])}</defs>${rectangle('url(#sky)')}` +
    rays({ x: 960, y: 330 }, { count: 28, reach: 1500, color: '#ffe08a', opacity: 0.11 }) +
    disc('sun', { x: 960, y: 250 }, { radius: 176, color: '#fbeec2', glow: '#ffe9a8', reach: 1.8 }) +
    ridge({ seed: 63, top: 580, rise: 190, peaks: 4, fill: '#17503f', opacity: 0.9 }) +
    ridge({ seed: 11, top: 616, rise: 100, peaks: 6, fill: '#0f3e33' }) +
    cloud({ x: 792, y: 318, scale: 0.5 }, { fill: '#f7edcf', line: '#d7b35a', opacity: 0.95 }) +
    cloud({ x: 1160, y: 300, scale: 0.66, flip: true }, { fill: '#f7edcf', line: '#d7b35a', opacity: 0.95 }) +
    temple(
      { x: 950, y: 566, scale: 0.98 },
      {
        roof: '#2c8a7d',
        tile: '#1d6a60',
        ridge: '#f0b93a',
        wall: '#b3301f',
        beam: '#7d1d18',
        light: '#ffe08a',
      },
      { tiers: 2 },
    ) +
    crane({ x: 770, y: 130, scale: 0.66 }) +
    crane({ x: 1120, y: 140, scale: 0.5, flip: true }) +
    lantern({ x: 732, y: 440, scale: 0.5 }) +
    lantern({ x: 1168, y: 440, scale: 0.5 }) +
    path('M0 604Q600 584 1200 604V630H0Z', 'fill="#0b2f27"'),
}

/** 飛升: above the clouds, among the stars. */
export const ASCENDED: Look = {
  ink: '#fff8e4',
  soft: '#c9c8ee',
  accent: '#ffd76a',
  line: '#4b4a8c',
  scene: () =>
    `<defs>${linear('sky', [
      [0, '#0c0f33'],
      [0.5, '#232063'],
      [0.85, '#5a3f95'],
      [1, '#8f5fae'],
    ])}</defs>${rectangle('url(#sky)')}` +
    stars({ seed: 2026, count: 120, color: '#fff3d0', below: 480 }) +
    disc('moon', { x: 960, y: 236 }, { radius: 158, color: '#fff1c4', glow: '#ffe9b0', reach: 2 }) +
    rays({ x: 960, y: 236 }, { count: 24, reach: 1500, color: '#ffe9b0', opacity: 0.07 }) +
    smoke({ x: 800, y: 560, scale: 1.1 }, '#cdbdf0', 0.35) +
    palanquin({ x: 960, y: 372, scale: 0.98, turn: -7 }) +
    sparkle({ x: 800, y: 160 }, 26, '#ffe9a8') +
    sparkle({ x: 1124, y: 122 }, 20, '#ffe9a8') +
    sparkle({ x: 1136, y: 330 }, 14, '#ffe9a8') +
    crane({ x: 776, y: 270, scale: 0.5, turn: 8 }) +
    clouds(),
}

const clouds = (): string =>
  cloud({ x: 930, y: 420, scale: 0.95 }, { fill: '#efe6ff', line: '#a98fd6', opacity: 0.95 }) +
  times(6, (index) =>
    cloud(
      { x: 20 + index * 236, y: 566 + (index % 2) * 22, scale: 0.96, flip: index % 2 === 1 },
      { fill: index % 2 ? '#c5b3ea' : '#ded2f7', line: '#8f78c4', opacity: 1 },
    ),
  ) +
  cloud({ x: 1130, y: 470, scale: 0.7, flip: true }, { fill: '#d9ccf5', line: '#9b84cf', opacity: 0.96 })
