import { storePid, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { cpuMsOf, cpuMsOfTree, memoryMbOf } from '../load/cpu.ts'
import { sum } from './peak.ts'

/** Processor time by process, in milliseconds. */
type Used = Record<string, number>
export type Processors = Awaited<ReturnType<typeof watchProcessors>>
/** Cost of one operation of a stage in µs, by process. */
export type Stage = { pieces: number; tookMs: number; costUs: Used }
/** The processors that each process kept busy, idle cost included: 0.5 is half of one. */
export type Busy = Used

const IDLE_LOOK_MS = 3_000
const IDLE_LOOKS_MAX = 200
/** Of each process on average, in ms of a processor a second; what is more is work that was left. */
const QUIET_MS_PER_S = 20
/** A look that is not this much lower than the one before ends the looking. */
const STILL_FALLING = 0.95

/** A snapshot of the processor time of each process, and of PostgreSQL with all its backends. */
export async function watchProcessors(stack: ThrowawayStack) {
  const services = Object.entries(stack.running().services).map(([name, { pid }]) => [name, pid] as const)
  const redis = stack.redis.pids().map((pid, at) => [at === 0 ? 'redis' : `redis-${at + 1}`, pid] as const)
  const pids = Object.fromEntries([...services, ...redis, ['postgres', storePid(stack.home, 'postgres')]])
  const idleMsPerS = await idleOf(pids)
  return {
    idleMsPerS: sum(idleMsPerS),
    /** Runs some work, and returns how busy it kept the processors. */
    busyDuring: async <T>(work: () => Promise<T>): Promise<{ result: T; busy: Busy }> => {
      const [start, startedMs] = [usedBy(pids), performance.now()]
      const result = await work()
      const tookMs = performance.now() - startedMs
      return { result, busy: each(usedBy(pids), (name, ms) => (ms - (start[name] ?? 0)) / tookMs) }
    },
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

/** Memory of all services together, in MB. */
export const servicesMb = (stack: ThrowawayStack): number =>
  Object.values(stack.running().services).reduce((all, { pid }) => all + memoryMbOf(pid), 0)

/** Combines several stages of a kind. */
export function sumStages(stages: readonly Stage[]): Stage {
  const pieces = stages.reduce((all, stage) => all + stage.pieces, 0)
  const tookMs = stages.reduce((all, stage) => all + stage.tookMs, 0)
  const costUs = each(stages[0]?.costUs ?? {}, (name) =>
    stages.reduce((all, stage) => all + ((stage.costUs[name] ?? 0) * stage.pieces) / pieces, 0),
  )
  return { pieces, tookMs, costUs }
}

/** Waits until what was sent before is worked off, by the consumers of a flush for instance. */
async function idleOf(pids: Readonly<Record<string, number>>): Promise<Used> {
  let idle: Used = {}
  const quietMsPerS = QUIET_MS_PER_S * Object.keys(pids).length
  for (let looks = 0; looks < IDLE_LOOKS_MAX; looks++) {
    const before = usedBy(pids)
    await Bun.sleep(IDLE_LOOK_MS)
    const now = each(usedBy(pids), (name, ms) => (ms - (before[name] ?? 0)) / (IDLE_LOOK_MS / 1_000))
    const isFalling = looks === 0 || sum(now) < sum(idle) * STILL_FALLING
    idle = now
    if (!isFalling && sum(now) < quietMsPerS) return idle
  }
  throw new Error(`the services are not idle: ${JSON.stringify(idle)} ms of a processor a second`)
}

const each = (used: Used, change: (name: string, value: number) => number): Used =>
  Object.fromEntries(Object.entries(used).map(([name, value]) => [name, change(name, value)]))

function usedBy(pids: Readonly<Record<string, number>>): Used {
  return each({ ...pids }, (name, pid) => (name === 'postgres' ? cpuMsOfTree(pid) : cpuMsOf(pid)) || 0)
}
