/** A point of a line with its time in epoch milliseconds. */
export type LinePoint = { lat: number; lng: number; recordedAt: number }
type Span = { fromMs: number; toMs: number }

/** Five minutes while standing, and some delay. */
const SILENCE_MS_MAX = 360_000

export type Line = {
  /** Stretches that were recorded without a break. */
  parts: LinePoint[][]
  /** From the last point before a break to the first one after it. */
  gaps: [LinePoint, LinePoint][]
}

/** Cuts a track at known interruptions and long silences; every point is in exactly one part. */
export function lineOf(points: readonly LinePoint[], interruptions: readonly Span[]): Line {
  const ordered = points.toSorted((one, other) => one.recordedAt - other.recordedAt)
  const parts: LinePoint[][] = []
  const gaps: [LinePoint, LinePoint][] = []
  for (const point of ordered) {
    const part = parts.at(-1)
    const last = part?.at(-1)
    if (part === undefined || last === undefined) parts.push([point])
    else if (isBroken(last, point, interruptions)) {
      gaps.push([last, point])
      parts.push([point])
    } else part.push(point)
  }
  return { parts, gaps }
}

const isBroken = (from: LinePoint, to: LinePoint, interruptions: readonly Span[]): boolean =>
  to.recordedAt - from.recordedAt > SILENCE_MS_MAX ||
  interruptions.some(({ fromMs, toMs }) => fromMs < to.recordedAt && toMs > from.recordedAt)
