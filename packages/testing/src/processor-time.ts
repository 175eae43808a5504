/**
 * Milliseconds of processor time, user and system, that this process spends in `work`: what a busy machine does not
 * lengthen. Work of other threads that happens meanwhile is counted too.
 */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
