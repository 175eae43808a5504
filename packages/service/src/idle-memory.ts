import type { Job } from './schedule.ts'

const LOOK_MS = 60_000
/** Of a processor; a process that uses less waits for requests. */
const IDLE_SHARE_MAX = 0.05

type Process = { cpuMs: () => number; nowMs: () => number; shrink: () => void }
const THIS_PROCESS: Process = {
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  nowMs: () => performance.now(),
  // Deprecated without a successor; `Bun.gc` alone keeps the code that was compiled (docs/performance.md).
  shrink: () => Bun.shrink(),
}

/**
 * Gives memory back once for each time of work, after a minute without any: garbage, compiled code and free pages. What is called
 * next is compiled again, which takes some 10 ms. The start of a process counts as work.
 */
export function shrinkWhenIdle({ cpuMs, nowMs, shrink } = THIS_PROCESS): Job {
  let hasWorked = true
  let last = { cpuMs: cpuMs(), atMs: nowMs() }
  const run = async (): Promise<void> => {
    const now = { cpuMs: cpuMs(), atMs: nowMs() }
    const isIdle = now.cpuMs - last.cpuMs < (now.atMs - last.atMs) * IDLE_SHARE_MAX
    last = now
    if (isIdle && hasWorked) shrink()
    hasWorked = !isIdle
  }
  return { name: 'shrink-when-idle', everyMs: LOOK_MS, run }
}
