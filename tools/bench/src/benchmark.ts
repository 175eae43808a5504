/** A measurement and what it is compared with. */
export type Measured = {
  unit: string
  /** One value per round, ours and the yardstick's alternating, so that a busy period hits both. */
  ours: number[]
  yardstick: number[]
  /** Processor time of the servers per operation in µs, without the load's own; from the same rounds. */
  cpuUs?: { ours: number[]; yardstick: number[] }
  /** What else a reader should know: latencies, and that acknowledged work was done. */
  notes: string[]
}

/** How to read a figure: whether more of its unit is better (requests a second) or less. */
export type Aim = { name: string; better: 'more' | 'less'; wanted?: number }

/** One figure of a run. */
export type Figure = Aim & Measured

/** `quick` makes it small and short, only to see that it works. */
export type Size = { quick: boolean; rows?: number; restS?: number }

export type Benchmark = Aim & {
  /** What is compared with what, in a sentence. */
  question: string
  /** `also`: further figures of the same run, under names of their own. */
  run: (log: (line: string) => void, size: Size) => Promise<Measured & { name?: string; also?: Figure[] }>
}

export type Result = Figure & {
  at: string
  machine: string
  /** The program that generated the load. */
  load: string
  ratio: number
  ratioLow: number
  ratioHigh: number
  /** By the servers' processor time, to be read like `ratio`. */
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

/** The ratio by processor time; undefined where it was not measured. */
export function cpuRatioOf({ better, cpuUs }: Pick<Figure, 'better' | 'cpuUs'>): number | undefined {
  if (!cpuUs) return undefined
  const cost = median(cpuUs.ours) / median(cpuUs.yardstick)
  return Number.isFinite(cost) && cost > 0 ? (better === 'more' ? 1 / cost : cost) : undefined
}

/** Whether the target is met; undefined where there is none. */
export function isReached({
  ratio,
  better,
  wanted,
}: Pick<Result, 'ratio' | 'better' | 'wanted'>): boolean | undefined {
  if (wanted === undefined) return undefined
  return better === 'more' ? ratio >= wanted : ratio <= wanted
}
