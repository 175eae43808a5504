import { at, n, path, type Spot, times } from './shapes.ts'

export type TempleColors = {
  roof: string
  tile: string
  ridge: string
  wall: string
  beam: string
  light: string
}

/** A roof of a southern temple: concave slope, raised eaves, a ridge that ends in swallow tails. 2 × `half` wide. */
export function swallowRoof(
  half: number,
  { roof, tile, ridge }: Pick<TempleColors, 'roof' | 'tile' | 'ridge'>,
): string {
  const rise = half * 0.42
  const eave = half * 1.1
  const tiles = times(13, (index) => {
    const share = (index - 6) / 6
    const top = share * half * 0.62
    const foot = share * half * 0.98
    return path(
      `M${n(top)} ${n(17 - share * share * 10)}Q${n(top + (foot - top) * 0.35)} ${n(rise * 0.55)} ${n(foot)} ${n(rise - share * share * 12)}`,
      `fill="none" stroke="${tile}" stroke-width="3"`,
    )
  })
  return (
    path(
      `M${n(-half * 0.66)} 0Q0 18 ${n(half * 0.66)} 0Q${n(half * 0.74)} ${n(rise * 0.62)} ${n(eave)} ${n(rise - 16)}` +
        `Q${n(half * 0.5)} ${n(rise + 8)} 0 ${n(rise + 8)}Q${n(-half * 0.5)} ${n(rise + 8)} ${n(-eave)} ${n(rise - 16)}` +
        `Q${n(-half * 0.74)} ${n(rise * 0.62)} ${n(-half * 0.66)} 0Z`,
      `fill="${roof}"`,
    ) +
    tiles +
    path(
      `M${n(-eave)} ${n(rise - 16)}Q${n(-half * 0.5)} ${n(rise + 8)} 0 ${n(rise + 8)}Q${n(half * 0.5)} ${n(rise + 8)} ${n(eave)} ${n(rise - 16)}` +
        `L${n(eave + 12)} ${n(rise - 28)}Q${n(half * 0.98)} ${n(rise + 8)} ${n(half * 0.9)} ${n(rise + 4)}` +
        `Q${n(half * 0.5)} ${n(rise + 22)} 0 ${n(rise + 22)}Q${n(-half * 0.5)} ${n(rise + 22)} ${n(-half * 0.9)} ${n(rise + 4)}` +
        `Q${n(-half * 0.98)} ${n(rise + 8)} ${n(-eave - 12)} ${n(rise - 28)}Z`,
      `fill="${ridge}"`,
    ) +
    tails(half * 0.7, ridge)
  )
}

/** The ridge: sagging in the middle, forked at both ends. */
function tails(half: number, color: string): string {
  const side = (sign: number) =>
    path(
      `M${n(sign * half * 0.5)} 2Q${n(sign * half * 0.86)} 0 ${n(sign * half * 1.22)} -38L${n(sign * half * 1.1)} -14L${n(sign * half * 1.3)} -26` +
        `Q${n(sign * half * 0.98)} 16 ${n(sign * half * 0.5)} 18Z`,
      `fill="${color}"`,
    )
  return (
    path(
      `M${n(-half * 0.7)} 0Q0 20 ${n(half * 0.7)} 0L${n(half * 0.7)} 14Q0 34 ${n(-half * 0.7)} 14Z`,
      `fill="${color}"`,
    ) +
    side(1) +
    side(-1)
  )
}

/** A temple front: one roof or two, a wall with columns, doors and lanterns. Its foot is at y = 0. */
export function temple(
  spot: Spot & { scale?: number },
  colors: TempleColors,
  { tiers = 1 }: { tiers?: 1 | 2 } = {},
): string {
  const { wall, beam, ridge, light } = colors
  const columns = [-150, -74, 74, 150]
    .map((x) => `<rect x="${x - 9}" y="-150" width="18" height="150" fill="${ridge}"/>`)
    .join('')
  const doors =
    path('M-50 0V-104H50V0Z', `fill="${light}"`) +
    path('M-50 0V-104H-4V0ZM50 0V-104H4V0Z', `fill="${beam}" opacity="0.88"`) +
    times(3, (row) =>
      [-27, 27]
        .map((x) => `<circle cx="${x}" cy="${-84 + row * 30}" r="6" fill="${light}" opacity="0.85"/>`)
        .join(''),
    )
  const windows = [-112, 112]
    .map(
      (x) =>
        `<circle cx="${x}" cy="-72" r="24" fill="${light}"/><circle cx="${x}" cy="-72" r="24" fill="none" stroke="${beam}" stroke-width="6"/>` +
        path(`M${x - 22} -72H${x + 22}M${x} -94V-50`, `stroke="${beam}" stroke-width="4"`),
    )
    .join('')
  const upper =
    tiers === 2
      ? `<rect x="-104" y="-292" width="208" height="74" fill="${wall}"/><rect x="-104" y="-292" width="208" height="14" fill="${beam}"/>` +
        times(
          7,
          (index) =>
            `<rect x="${-88 + index * 28}" y="-268" width="10" height="36" fill="${light}" opacity="0.8"/>`,
        ) +
        at({ x: 0, y: -362 }, swallowRoof(150, colors))
      : ''
  return at(
    spot,
    `${upper}<rect x="-170" y="-150" width="340" height="150" fill="${wall}"/>${windows}${doors}${columns}` +
      `<rect x="-182" y="-158" width="364" height="22" fill="${beam}"/><rect x="-200" y="-6" width="400" height="14" fill="${ridge}"/>` +
      `<rect x="-220" y="6" width="440" height="14" fill="${beam}"/>${at({ x: 0, y: -246 }, swallowRoof(214, colors))}`,
  )
}
