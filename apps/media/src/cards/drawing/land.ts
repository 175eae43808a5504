import { CARD_HEIGHT, CARD_WIDTH, chance, n, path, type Spot, smooth, times } from './shapes.ts'

type RidgeLook = { seed: number; top: number; rise: number; peaks: number; fill: string; opacity?: number }

/** A ridge from edge to edge: `top` is the height of its valleys, `rise` how far peaks stand above them. */
export function ridge({ seed, top, rise, peaks, fill, opacity = 1 }: RidgeLook): string {
  const next = chance(seed)
  const step = CARD_WIDTH / (peaks * 2)
  const points: Spot[] = Array.from({ length: peaks * 2 + 3 }, (_, index) => ({
    x: (index - 1) * step + (next() - 0.5) * step * 0.6,
    y: index % 2 === 0 ? top - next() * rise * 0.25 : top - rise * (0.45 + next() * 0.55),
  }))
  const [first] = points
  if (!first) return ''
  return path(
    `M${n(first.x)} ${n(first.y)}${smooth(points)}L${CARD_WIDTH + 60} ${CARD_HEIGHT + 10}L-60 ${CARD_HEIGHT + 10}Z`,
    `fill="${fill}" opacity="${opacity}"`,
  )
}

/** Rows of the scales by which the sea is painted, from `top` down; the rows darken with the list of fills. */
export function seaScales({ top, radius, fills, line }: SeaLook): string {
  const rowHeight = radius * 0.55
  const rows = Math.ceil((CARD_HEIGHT - top) / rowHeight) + 1
  return times(rows, (row) => {
    const fill = fills[Math.min(row, fills.length - 1)] ?? '#000'
    const y = top + row * rowHeight
    const shift = row % 2 === 0 ? 0 : radius
    return times(Math.ceil(CARD_WIDTH / (radius * 2)) + 2, (column) => {
      const x = (column - 0.5) * radius * 2 + shift
      const arc = (share: number, attributes: string) =>
        path(
          `M${n(x - radius * share)} ${n(y)}A${n(radius * share)} ${n(radius * share)} 0 0 1 ${n(x + radius * share)} ${n(y)}`,
          attributes,
        )
      const stroke = `stroke="${line}" stroke-width="2"`
      return (
        arc(1, `fill="${fill}" ${stroke}`) +
        arc(0.72, `fill="none" ${stroke}`) +
        arc(0.44, `fill="none" ${stroke}`) +
        arc(0.18, `fill="none" ${stroke}`)
      )
    })
  })
}
type SeaLook = { top: number; radius: number; fills: readonly string[]; line: string }

/** A swell of the sea from edge to edge, of waves of one length. */
export function swell({ top, height, length, shift = 0, fill, opacity = 1 }: SwellLook): string {
  let d = `M${n(-length + shift)} ${CARD_HEIGHT + 10}L${n(-length + shift)} ${n(top)}`
  for (let x = -length + shift; x < CARD_WIDTH + length; x += length)
    d += `c${n(length * 0.3)} ${n(-height)} ${n(length * 0.7)} ${n(-height)} ${n(length)} 0`
  return path(`${d}V${CARD_HEIGHT + 10}Z`, `fill="${fill}" opacity="${opacity}"`)
}
type SwellLook = {
  top: number
  height: number
  length: number
  shift?: number
  fill: string
  opacity?: number
}

/** Fields in rows that run towards the horizon at `top`, seen from a dyke. */
export function fields({ top, near, far, lines, focus }: FieldLook): string {
  const furrows = times(26, (index) => {
    const x = -900 + index * 120
    return path(
      `M${n(x)} ${CARD_HEIGHT}Q${n((x + focus) / 2)} ${n((top + CARD_HEIGHT) / 2 + 20)} ${n(focus + (x - focus) * 0.12)} ${n(top)}`,
      `fill="none" stroke="${lines}" stroke-width="3" opacity="0.5"`,
    )
  })
  return (
    path(
      `M0 ${top + 16}Q300 ${top - 14} 640 ${top + 8}T${CARD_WIDTH} ${top}V${CARD_HEIGHT}H0Z`,
      `fill="${far}"`,
    ) +
    path(`M0 ${top + 60}Q400 ${top + 20} ${CARD_WIDTH} ${top + 64}V${CARD_HEIGHT}H0Z`, `fill="${near}"`) +
    furrows
  )
}
type FieldLook = { top: number; near: string; far: string; lines: string; focus: number }
