/** What a benchmark measured, against what it is measured by. */
export type Measured = {
  unit: string
  /** One value a round, ours and the yardstick's by turns, so that a busy moment hits both. */
  ours: number[]
  yardstick: number[]
  /** Microseconds of a processor that the servers alone took for each piece, the load not among it; of the same rounds. */
  cpuUs?: { ours: number[]; yardstick: number[] }
  /** What else a reader should know: latencies, and that what was answered was also done. */
  notes: string[]
}

/** How a figure is read: whether more of its unit is better (requests a second) or less, and the ratio that is wanted, if one is. */
export type Aim = { name: string; better: 'more' | 'less'; wanted?: number }

/** A figure of a run. */
export type Figure = Aim & Measured

/**
 * Smaller and shorter, to see that it works; the figures then mean little. `rows` bounds what is stored before, `restS`
 * says how long a stack rests before its memory is looked at again.
 */
export type Size = { quick: boolean; rows?: number; restS?: number }

export type Benchmark = Aim & {
  /** What is measured against what, in a sentence. */
  question: string
  /** `also`: further figures of the same run. A figure that is not called as its benchmark brings its own name. */
  run: (log: (line: string) => void, size: Size) => Promise<Measured & { name?: string; also?: Figure[] }>
}

export type Result = Figure & {
  at: string
  machine: string
  /** The program that made the load. */
  load: string
  ratio: number
  ratioLow: number
  ratioHigh: number
  /** By the servers' processor time, read as `ratio` is: of work a second, and of cost. */
  cpuRatio?: number
}

/** Enough for a median that one bad round does not move. */
export const ROUNDS = 5

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Ours over the yardstick, by the medians, and the range of the ratios of the rounds. */
export function ratioOf({ ours, yardstick }: Pick<Measured, 'ours' | 'yardstick'>): {
  ratio: number
  ratioLow: number
  ratioHigh: number
} {
  const ratios = ours.map((value, round) => value / (yardstick[round] ?? Number.NaN))
  return {
    ratio: median(ours) / median(yardstick),
    ratioLow: Math.min(...ratios),
    ratioHigh: Math.max(...ratios),
  }
}

/**
 * The same by processor time; undefined where it was not measured. What a piece costs is the inverse of what a second of
 * a processor does, so that a ratio of `more` is one of speed here too.
 */
export function cpuRatioOf({ better, cpuUs }: Pick<Figure, 'better' | 'cpuUs'>): number | undefined {
  if (!cpuUs) return undefined
  const cost = median(cpuUs.ours) / median(cpuUs.yardstick)
  return Number.isFinite(cost) && cost > 0 ? (better === 'more' ? 1 / cost : cost) : undefined
}

/** Whether the ratio is as good as it is wanted; undefined where none is. */
export function isReached({
  ratio,
  better,
  wanted,
}: Pick<Result, 'ratio' | 'better' | 'wanted'>): boolean | undefined {
  if (wanted === undefined) return undefined
  return better === 'more' ? ratio >= wanted : ratio <= wanted
}
