import { availableParallelism, cpus, loadavg } from 'node:os'
import { readIfThere } from '@palanquin/embedded/file'

/**
 * Checks with their servers and browsers make a load of four to ten per core. Above this limit other
 * programs are busy, and checks one by one finish sooner than several that slow each other down.
 */
const LOAD_PER_CORE_MAX = 16
const LOOK_MS = 1_000

/**
 * Tests of a distributed system wait for much of their time. While processors have been idle for this share of the last
 * seconds, and memory is there, one check more than usual begins; on a machine that is busy, or slow, none does.
 */
const IDLE_SHARE_MIN = 0.3
const IDLE_LOOK_MS = 5_000
/** A whole stack with a browser takes some 2 GiB. */
const FREE_MEMORY_BYTES_MIN = 4 * 2 ** 30
const EXTRA_MAX = 4

type Machine = {
  load: () => number
  cores: number
  /** Milliseconds that all processors together have been idle, and that they have been there, since the start. */
  processorTime: () => { idleMs: number; allMs: number }
  availableBytes: () => number
}
const THIS_MACHINE: Machine = {
  load: () => loadavg()[0] ?? 0,
  cores: availableParallelism(),
  processorTime,
  availableBytes,
}

/** Whether the machine has capacity for another check. */
export const hasCapacity = ({ load, cores }: Pick<Machine, 'load' | 'cores'> = THIS_MACHINE): boolean =>
  load() <= cores * LOAD_PER_CORE_MAX

type Options<T> = {
  atOnce: number
  signal: AbortSignal
  work: (piece: T) => Promise<void>
  /** Whether more begin while the machine is idle. */
  isElastic?: boolean
  machine?: Machine
  lookMs?: number
  idleLookMs?: number
}

/**
 * Does all jobs, up to `atOnce` side by side, and where `isElastic` some more while processors are idle; on a busy machine
 * only the first worker continues until there is capacity again.
 */
export async function runQueue<T>(
  pieces: readonly T[],
  {
    atOnce,
    signal,
    work,
    isElastic = false,
    machine = THIS_MACHINE,
    lookMs = LOOK_MS,
    idleLookMs = IDLE_LOOK_MS,
  }: Options<T>,
): Promise<void> {
  const waiting = [...pieces]
  const isOver = () => waiting.length === 0 || signal.aborted
  const workOnNext = async () => {
    const piece = waiting.shift()
    if (piece !== undefined) await work(piece)
  }
  const worker = async (index: number) => {
    while (!isOver())
      if (index > 0 && !hasCapacity(machine)) await Bun.sleep(lookMs)
      else await workOnNext()
  }
  let lastLook = Promise.resolve(false)
  /** Whether one more may begin; those who ask wait for each other, so that the next look sees what began. */
  const isIdle = () => {
    lastLook = lastLook.then(async () => {
      if (isOver()) return false
      const before = machine.processorTime()
      await Bun.sleep(idleLookMs)
      const idle = idleShare(before, machine.processorTime())
      return idle >= IDLE_SHARE_MIN && machine.availableBytes() >= FREE_MEMORY_BYTES_MIN
    })
    return lastLook
  }
  const extraWorker = async () => {
    while (!isOver()) if (await isIdle()) await workOnNext()
  }
  await Promise.all([
    ...Array.from({ length: atOnce }, (_, index) => worker(index)),
    ...Array.from({ length: isElastic ? EXTRA_MAX : 0 }, extraWorker),
  ])
}

type ProcessorTime = ReturnType<Machine['processorTime']>

const idleShare = (before: ProcessorTime, after: ProcessorTime): number =>
  (after.idleMs - before.idleMs) / Math.max(1, after.allMs - before.allMs)

function processorTime(): ProcessorTime {
  const times = cpus().map((cpu) => cpu.times)
  return {
    idleMs: times.reduce((sum, { idle }) => sum + idle, 0),
    allMs: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  }
}

/** Memory that programs can still take, without swapping; 0 where the system does not say. */
export function availableBytes(): number {
  const kib = /^MemAvailable:\s+(\d+) kB/m.exec(readIfThere('/proc/meminfo') ?? '')?.[1]
  return kib === undefined ? 0 : Number(kib) * 1024
}
