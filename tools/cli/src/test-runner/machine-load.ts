import { availableParallelism, loadavg } from 'node:os'

/**
 * Checks with their servers and browsers make a load of four to ten per core. Above this limit other
 * programs are busy, and checks one by one finish sooner than several that slow each other down.
 */
const LOAD_PER_CORE_MAX = 16
const LOOK_MS = 1_000

type Machine = { load: () => number; cores: number }
const THIS_MACHINE: Machine = { load: () => loadavg()[0] ?? 0, cores: availableParallelism() }

/** Whether the machine has capacity for another check. */
export const hasCapacity = ({ load, cores }: Machine = THIS_MACHINE): boolean =>
  load() <= cores * LOAD_PER_CORE_MAX

/**
 * Does all jobs, up to `atOnce` side by side; on a busy machine only the first worker continues until there
 * is capacity again.
 */
export async function runQueue<T>(
  pieces: readonly T[],
  {
    atOnce,
    signal,
    work,
    machine = THIS_MACHINE,
    lookMs = LOOK_MS,
  }: {
    atOnce: number
    signal: AbortSignal
    work: (piece: T) => Promise<void>
    machine?: Machine
    lookMs?: number
  },
): Promise<void> {
  const waiting = [...pieces]
  const worker = async (index: number) => {
    while (waiting.length > 0 && !signal.aborted) {
      if (index > 0 && !hasCapacity(machine)) {
        await Bun.sleep(lookMs)
        continue
      }
      const piece = waiting.shift()
      if (piece !== undefined) await work(piece)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index)))
}
