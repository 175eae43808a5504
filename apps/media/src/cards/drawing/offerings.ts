import { at, path, type Spot, times } from './shapes.ts'

/** A red lantern with its tassel, hung at y = 0; some 90 wide. */
export const lantern = (
  spot: Spot & { scale?: number; turn?: number },
  { paper = '#e2402f', shade = '#b3261e', gold = '#f6cf6a', glow = '#ffd98a' } = {},
): string =>
  at(
    spot,
    `<circle cx="0" cy="62" r="86" fill="${glow}" opacity="0.14"/><circle cx="0" cy="62" r="62" fill="${glow}" opacity="0.16"/>` +
      path('M0 -12V18', `stroke="${gold}" stroke-width="4"`) +
      `<ellipse cx="0" cy="62" rx="46" ry="40" fill="${paper}"/>` +
      path(
        'M-24 28Q-46 62 -24 96M24 28Q46 62 24 96M0 22V102',
        `fill="none" stroke="${shade}" stroke-width="3.5"`,
      ) +
      `<ellipse cx="-16" cy="50" rx="9" ry="16" fill="#fff" opacity="0.22"/>` +
      `<rect x="-22" y="16" width="44" height="11" rx="4" fill="${gold}"/><rect x="-22" y="97" width="44" height="11" rx="4" fill="${gold}"/>` +
      path('M0 108V124M-9 124H9L12 158H-12Z', `stroke="${gold}" stroke-width="3" fill="${gold}"`),
  )

/** Smoke of incense, rising from y = 0. */
export const smoke = (
  spot: Spot & { scale?: number; flip?: boolean },
  color: string,
  opacity = 0.6,
): string =>
  at(
    spot,
    path(
      'M0 0C-40 -40 44 -76 10 -124C-22 -168 -70 -170 -56 -216C-46 -248 4 -244 2 -210C0 -188 -30 -190 -28 -208',
      `fill="none" stroke="${color}" stroke-width="9" stroke-linecap="round" opacity="${opacity}"`,
    ) +
      path(
        'M14 -10C52 -52 -20 -96 34 -146C72 -180 118 -172 116 -212C114 -240 74 -242 76 -216C77 -202 94 -204 94 -214',
        `fill="none" stroke="${color}" stroke-width="6" stroke-linecap="round" opacity="${opacity * 0.75}"`,
      ),
  )

/** A censer on three feet with burning sticks, foot at y = 0; some 300 wide. */
export const censer = (
  spot: Spot & { scale?: number },
  { bronze = '#a9692b', dark = '#6e3f17', gold = '#f0c35a', ember = '#ffe27a' } = {},
): string =>
  at(
    spot,
    [-38, -16, 6, 30]
      .map(
        (x, index) =>
          `${path(
            `M${x} -130L${x * 1.3} ${-236 - (index % 2) * 16}`,
            'stroke="#8a2f2a" stroke-width="5" stroke-linecap="round"',
          )}<circle cx="${x * 1.3}" cy="${-238 - (index % 2) * 16}" r="6" fill="${ember}"/>`,
      )
      .join('') +
      path('M-122 -150Q-172 -196 -146 -222Q-128 -214 -136 -196Q-128 -170 -100 -140Z', `fill="${dark}"`) +
      path('M122 -150Q172 -196 146 -222Q128 -214 136 -196Q128 -170 100 -140Z', `fill="${dark}"`) +
      path('M-92 -34L-104 0H-78L-62 -30ZM92 -34L104 0H78L62 -30ZM-12 -26V0H12V-26Z', `fill="${dark}"`) +
      path('M-128 -128C-128 -60 -92 -20 0 -20C92 -20 128 -60 128 -128Z', `fill="${bronze}"`) +
      path('M-128 -128C-128 -60 -92 -20 0 -20C-60 -28 -96 -66 -100 -128Z', `fill="${dark}" opacity="0.45"`) +
      `<rect x="-142" y="-150" width="284" height="26" rx="10" fill="${gold}"/><ellipse cx="0" cy="-146" rx="118" ry="9" fill="${dark}"/>` +
      `<circle cx="0" cy="-82" r="31" fill="none" stroke="${gold}" stroke-width="6"/>` +
      path('M0 -104Q16 -82 0 -60Q-16 -82 0 -104ZM-22 -82Q0 -98 22 -82Q0 -66 -22 -82Z', `fill="${gold}"`) +
      path(
        'M-104 -92Q-84 -110 -66 -92T-40 -86M104 -92Q84 -110 66 -92T40 -86',
        `fill="none" stroke="${gold}" stroke-width="5" stroke-linecap="round"`,
      ),
  )

/** A lotus in flower on the water at y = 0; some 220 wide. */
export const lotus = (
  spot: Spot & { scale?: number },
  { petal = '#f6a5bd', inner = '#fbd3dd', tip = '#e4638b', heart = '#f4cf63' } = {},
): string => {
  const petalAt = (turn: number, length: number, fill: string) =>
    at(
      { x: 0, y: 0, turn },
      path(
        `M0 0C-34 ${-length * 0.4} -24 ${-length * 0.8} 0 ${-length}C24 ${-length * 0.8} 34 ${-length * 0.4} 0 0Z`,
        `fill="${fill}"`,
      ) +
        path(
          `M0 ${-length * 0.66}C-8 ${-length * 0.78} -6 ${-length * 0.9} 0 ${-length}C6 ${-length * 0.9} 8 ${-length * 0.78} 0 ${-length * 0.66}Z`,
          `fill="${tip}" opacity="0.55"`,
        ),
    )
  return at(
    spot,
    [-78, 78, -54, 54].map((turn) => petalAt(turn, 112, petal)).join('') +
      [-30, 30].map((turn) => petalAt(turn, 122, inner)).join('') +
      petalAt(0, 128, petal) +
      [-16, 16].map((turn) => petalAt(turn, 84, inner)).join('') +
      `<ellipse cx="0" cy="-18" rx="26" ry="14" fill="${heart}"/>`,
  )
}

/** A lotus leaf lying on the water. */
export const lotusLeaf = (spot: Spot & { scale?: number }, fill: string, vein: string): string =>
  at(
    spot,
    `<ellipse cx="0" cy="0" rx="96" ry="30" fill="${fill}"/>` +
      times(7, (index) => {
        const angle = Math.PI * (index / 6)
        return path(
          `M0 -4L${(Math.cos(angle) * 86).toFixed(1)} ${(-Math.sin(angle) * 25).toFixed(1)}`,
          `stroke="${vein}" stroke-width="2.5" opacity="0.7"`,
        )
      }),
  )
