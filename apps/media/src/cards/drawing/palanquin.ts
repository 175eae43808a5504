import { at, n, path, type Spot, times } from './shapes.ts'
import { swallowRoof } from './temple.ts'

/** The sedan chair of the goddess under its rose cover, on two poles; carriers in a row with `carriers`. Foot at y = 0. */
export function palanquin(
  spot: Spot & { scale?: number; turn?: number },
  { cover = '#ef7ba5', shade = '#d6527f', gold = '#f4c95d', red = '#b3261e', dark = '#5d1420' } = {},
): string {
  const fringe = times(11, (index) =>
    path(`M${-75 + index * 15} -92v14`, `stroke="${gold}" stroke-width="5" stroke-linecap="round"`),
  )
  return at(
    spot,
    path('M-250 -40H250', `stroke="${dark}" stroke-width="13" stroke-linecap="round"`) +
      path('M-250 -42H250', `stroke="#9c5a33" stroke-width="7" stroke-linecap="round"`) +
      `<rect x="-84" y="-110" width="168" height="110" rx="8" fill="${red}"/>` +
      `<rect x="-84" y="-26" width="168" height="26" rx="6" fill="${gold}"/>` +
      path('M-84 -34H84M-84 -100H84', `stroke="${gold}" stroke-width="6"`) +
      path('M-36 -34V-82Q0 -110 36 -82V-34Z', `fill="${dark}"`) +
      path('M-36 -34V-82Q0 -110 36 -82V-34', `fill="none" stroke="${gold}" stroke-width="5"`) +
      `<circle cx="0" cy="-62" r="15" fill="${gold}" opacity="0.9"/><circle cx="0" cy="-62" r="24" fill="${gold}" opacity="0.25"/>` +
      [-60, 60]
        .map(
          (x) =>
            `<circle cx="${x}" cy="-66" r="14" fill="none" stroke="${gold}" stroke-width="4"/>` +
            path(`M${x - 9} -66H${x + 9}M${x} -75V-57`, `stroke="${gold}" stroke-width="3"`),
        )
        .join('') +
      path('M-98 -112H98L88 -84Q0 -70 -88 -84Z', `fill="${shade}"`) +
      fringe +
      at({ x: 0, y: -158 }, swallowRoof(104, { roof: cover, tile: shade, ridge: gold })) +
      `<circle cx="0" cy="-159" r="13" fill="${red}"/><circle cx="0" cy="-159" r="6" fill="${gold}"/>`,
  )
}

type PilgrimColors = { coat: string; trousers: string; hat?: string; skin?: string; flag?: string }

/** Somebody on the way, seen from the side, with a bamboo hat, a bag and (if they carry one) a pilgrim's flag. */
export function pilgrim(
  spot: Spot & { scale?: number; flip?: boolean },
  { coat, trousers, hat = '#e8c77a', skin = '#e3a97c', flag }: PilgrimColors,
): string {
  const banner = flag
    ? path('M26 -146V-40', 'stroke="#6b4423" stroke-width="4" stroke-linecap="round"') +
      path('M28 -144Q60 -138 84 -116Q58 -112 28 -100Z', `fill="${flag}"`) +
      path('M34 -134Q52 -128 66 -117Q50 -114 34 -108Z', 'fill="#f4c95d" opacity="0.9"')
    : ''
  return at(
    spot,
    `${banner}${path('M-4 -44L-16 0M6 -44L20 -2', `stroke="${trousers}" stroke-width="13" stroke-linecap="round"`)}` +
      path('M-18 -42Q-20 -82 -6 -92H12Q22 -78 20 -42Z', `fill="${coat}"`) +
      path('M8 -82Q20 -66 27 -60', `stroke="${coat}" stroke-width="10" stroke-linecap="round" fill="none"`) +
      `<circle cx="27" cy="-60" r="5" fill="${skin}"/><circle cx="4" cy="-102" r="13" fill="${skin}"/>` +
      path('M-26 -102Q4 -136 34 -102Q4 -94 -26 -102Z', `fill="${hat}"`) +
      path('M-16 -104Q4 -126 24 -104', 'fill="none" stroke="#b98f45" stroke-width="2.5"') +
      path('M-20 -80Q-34 -76 -32 -56Q-30 -46 -16 -50Z', `fill="${trousers}" opacity="0.9"`),
  )
}

const COATS = ['#d9483b', '#f2b84b', '#2f7f79', '#ee7f94', '#34558b', '#f4efe2', '#7b4b94'] as const
const TROUSERS = ['#2b2d42', '#3f4a3c', '#4a3b35'] as const
const FLAGS = ['#c1272d', '#1f6f5c', '#e58f2a', '#30528c'] as const

/** A column of pilgrims from `x` on, every other one with a flag. */
export const procession = ({
  x,
  y,
  scale,
  count,
  gap,
}: Spot & { scale: number; count: number; gap: number }): string =>
  times(count, (index) => {
    const flag = index % 2 === 0 ? FLAGS[(index / 2) % FLAGS.length] : undefined
    return pilgrim(
      { x: x + index * gap, y: y + (index % 3) * 3, scale: scale * (1 - (index % 4) * 0.03) },
      {
        coat: COATS[index % COATS.length] ?? '#d9483b',
        trousers: TROUSERS[index % TROUSERS.length] ?? '#2b2d42',
        ...(flag ? { flag } : {}),
      },
    )
  })

/** The long banner that goes before the procession, foot at y = 0. */
export const banner = (
  spot: Spot & { scale?: number },
  { cloth, trim }: { cloth: string; trim: string },
): string =>
  at(
    spot,
    path('M0 0V-250', 'stroke="#5a3a20" stroke-width="6" stroke-linecap="round"') +
      path(`M4 -244H${n(70)}L62 -96L36 -70L4 -92Z`, `fill="${cloth}"`) +
      path('M12 -234H60L53 -104L36 -86L12 -100Z', `fill="none" stroke="${trim}" stroke-width="4"`) +
      `<circle cx="33" cy="-170" r="15" fill="${trim}"/><circle cx="0" cy="-254" r="8" fill="${trim}"/>`,
  )
