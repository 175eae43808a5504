import { cpuMsOf, cpuMsOfTree } from '../load/cpu.ts'

/** Processor time by process, in milliseconds. */
type Used = Record<string, number>
/** Cost of one operation of a stage in µs, by process. */
export type Stage = { pieces: number; tookMs: number; costUs: Used }

const IDLE_LOOK_MS = 3_000

/**
 * A snapshot of the processor time of each process, and of PostgreSQL with all its backends; first of all
 * when idle.
 */
export async function watchProcessors(pids: Readonly<Record<string, number>>) {
  const before = usedBy(pids)
  await Bun.sleep(IDLE_LOOK_MS)
  const idleMsPerS = each(usedBy(pids), (name, ms) => (ms - (before[name] ?? 0)) / (IDLE_LOOK_MS / 1_000))
  return {
    idleMsPerS: Object.values(idleMsPerS).reduce((all, one) => all + one, 0),
    /** Runs a stage and returns its cost per operation, without the idle cost. */
    stage: async (work: () => Promise<{ pieces: number; tookMs: number }>): Promise<Stage> => {
      const start = usedBy(pids)
      const { pieces, tookMs } = await work()
      const costUs = each(usedBy(pids), (name, ms) => {
        const idleMs = ((idleMsPerS[name] ?? 0) * tookMs) / 1_000
        return (Math.max(0, ms - (start[name] ?? 0) - idleMs) / pieces) * 1_000
      })
      return { pieces, tookMs, costUs }
    },
  }
}

/** Combines several stages of a kind. */
export function sumStages(stages: readonly Stage[]): Stage {
  const pieces = stages.reduce((all, stage) => all + stage.pieces, 0)
  const tookMs = stages.reduce((all, stage) => all + stage.tookMs, 0)
  const costUs = each(stages[0]?.costUs ?? {}, (name) =>
    stages.reduce((all, stage) => all + ((stage.costUs[name] ?? 0) * stage.pieces) / pieces, 0),
  )
  return { pieces, tookMs, costUs }
}

const each = (used: Used, change: (name: string, value: number) => number): Used =>
  Object.fromEntries(Object.entries(used).map(([name, value]) => [name, change(name, value)]))

function usedBy(pids: Readonly<Record<string, number>>): Used {
  return each({ ...pids }, (name, pid) => (name === 'postgres' ? cpuMsOfTree(pid) : cpuMsOf(pid)) || 0)
}
