import { at, CARD_WIDTH, chance, circle, n, path, radial, type Spot, times } from './shapes.ts'

/** A disc with a glow around it: sun or moon. `id` names its gradient within the drawing. */
export const disc = (
  id: string,
  spot: Spot,
  { radius, color, glow, reach = 2.4 }: { radius: number; color: string; glow: string; reach?: number },
): string =>
  `<defs>${radial(id, [
    [0, glow, 0.75],
    [0.45, glow, 0.28],
    [1, glow, 0],
  ])}</defs>${circle(spot, radius * reach, `fill="url(#${id})"`)}${circle(spot, radius, `fill="${color}"`)}`

/** Rays from a spot, every other one left free, as on temple paintings. */
export function rays(spot: Spot, { count, reach, color, opacity }: RayLook): string {
  const step = (2 * Math.PI) / count
  return times(count, (index) => {
    const from = (index - 0.25) * step // an edge that lay level would look like a seam across the card
    const to = from + step / 2
    const end = (angle: number) =>
      `${n(spot.x + reach * Math.cos(angle))} ${n(spot.y + reach * Math.sin(angle))}`
    return path(`M${n(spot.x)} ${n(spot.y)}L${end(from)}L${end(to)}Z`, `fill="${color}" opacity="${opacity}"`)
  })
}
type RayLook = { count: number; reach: number; color: string; opacity: number }

/** Rings around a spot, fading outwards. */
export const rings = (spot: Spot, { radii, color }: { radii: readonly number[]; color: string }): string =>
  radii
    .map((radius, index) =>
      circle(
        spot,
        radius,
        `fill="none" stroke="${color}" stroke-width="2" opacity="${n(0.6 - index * 0.15)}"`,
      ),
    )
    .join('')

/** Where the words stand: a star among figures would look like a decimal point. */
const WORDS = { end: 740, top: 64, bottom: 556 }
const isAmongWords = ({ x, y }: Spot): boolean => x < WORDS.end && y > WORDS.top && y < WORDS.bottom

/** Stars: dots, and here and there one with four points; none among the words. */
export function stars({ seed, count, color, below }: StarLook): string {
  const next = chance(seed)
  return times(count, (index) => {
    const spot = { x: next() * CARD_WIDTH, y: next() * below }
    const size = 0.8 + next() * 1.6
    const opacity = n(0.35 + next() * 0.6)
    if (isAmongWords(spot)) return ''
    if (index % 9 === 0) return sparkle(spot, size * 5, color, 0.9)
    return circle(spot, size, `fill="${color}" opacity="${opacity}"`)
  })
}
type StarLook = { seed: number; count: number; color: string; below: number }

/** A star of four points. */
export const sparkle = ({ x, y }: Spot, size: number, color: string, opacity = 1): string =>
  at(
    { x, y, scale: size / 10 },
    path(
      'M0 -10Q1.2 -1.2 10 0Q1.2 1.2 0 10Q-1.2 1.2 -10 0Q-1.2 -1.2 0 -10Z',
      `fill="${color}" opacity="${opacity}"`,
    ),
  )

/** An auspicious cloud of temple paintings: lobes that curl in on themselves over a long foot. Some 300 wide. */
export function cloud(
  spot: Spot & { scale?: number; flip?: boolean },
  { fill, line, opacity = 1 }: { fill: string; line: string; opacity?: number },
): string {
  const body =
    'M-150 40C-176 40 -182 12 -158 4C-166 -26 -128 -44 -106 -26C-100 -62 -50 -74 -28 -46C-6 -82 56 -74 62 -34' +
    'C86 -50 118 -34 112 -8C140 -10 150 22 128 32C170 30 196 34 226 40C190 50 60 52 -20 50C-80 50 -130 50 -150 40Z'
  const curls =
    'M-118 26C-142 22 -140 -8 -116 -8C-98 -8 -96 16 -112 16C-121 16 -122 6 -115 4' +
    'M-14 24C-60 22 -62 -40 -20 -40C14 -40 16 8 -14 8C-34 8 -36 -18 -18 -20C-9 -20 -8 -9 -15 -8' +
    'M92 26C62 24 62 -14 88 -14C108 -14 108 14 90 14C80 14 80 2 88 2'
  return at(
    spot,
    `<g opacity="${opacity}">${path(body, `fill="${fill}"`)}${path(
      curls,
      `fill="none" stroke="${line}" stroke-width="4" stroke-linecap="round"`,
    )}</g>`,
  )
}

/** A crane in flight, some 180 wide, to the left. */
export const crane = (
  spot: Spot & { scale?: number; turn?: number; flip?: boolean },
  { white = '#fffdf7', black = '#25303b' } = {},
): string =>
  at(
    spot,
    path(
      'M-86 6C-60 -8 -40 -6 -22 0C0 8 26 10 50 2C34 18 6 24 -18 14C-36 8 -54 4 -86 6Z',
      `fill="${white}"`,
    ) +
      path('M-86 6L-112 2L-88 -1Z', 'fill="#d8a53a"') +
      circle({ x: -84, y: 0 }, 5, 'fill="#d23a2e"') +
      path('M-20 2C-18 -40 8 -70 46 -84C36 -58 34 -26 22 6Z', `fill="${white}"`) +
      path('M46 -84C40 -66 36 -46 33 -30L44 -40L42 -56L54 -60L46 -70Z', `fill="${black}"`) +
      path('M-10 8C0 36 22 50 52 54C40 34 36 18 26 6Z', `fill="${white}" opacity="0.85"`) +
      path('M52 54C44 42 40 32 36 22L46 30L46 38L56 42Z', `fill="${black}"`) +
      path('M46 4L88 10M46 6L86 16', `stroke="${black}" stroke-width="2.5" stroke-linecap="round"`),
  )
