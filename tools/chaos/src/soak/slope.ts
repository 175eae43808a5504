/** Growth per hour; `error` is one standard error of the slope. */
export type Slope = { perHour: number; error: number }
export type Sample = { atMs: number; value: number }

/** Adjacent samples are correlated, which would understate the error. */
const BLOCKS = 12
const HOUR_MS = 3_600_000

/** Least squares over the means of blocks of time; undefined for fewer samples than blocks. */
export function slopeOf(samples: readonly Sample[]): Slope | undefined {
  if (samples.length < BLOCKS) return undefined
  const blocks = Array.from({ length: BLOCKS }, (_, block) => {
    const part = samples.slice(
      Math.floor((block * samples.length) / BLOCKS),
      Math.floor(((block + 1) * samples.length) / BLOCKS),
    )
    return { x: mean(part.map(({ atMs }) => atMs / HOUR_MS)), y: mean(part.map(({ value }) => value)) }
  })
  const [x0, y0] = [mean(blocks.map(({ x }) => x)), mean(blocks.map(({ y }) => y))]
  const spread = sum(blocks.map(({ x }) => (x - x0) ** 2))
  const perHour = sum(blocks.map(({ x, y }) => (x - x0) * (y - y0))) / spread
  const rest = sum(blocks.map(({ x, y }) => (y - y0 - perHour * (x - x0)) ** 2))
  return { perHour, error: Math.sqrt(rest / (BLOCKS - 2) / spread) }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
