import { readFileSync } from 'node:fs'

/** Milliseconds of processor time, user and system, that this process spends in `work`. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Of a tick in `/proc/<pid>/stat`: USER_HZ is 100 on every Linux that programs see. */
const TICK_MS = 10

/** Whether `processorMsOf` works here. */
export const CAN_TELL_PROCESSOR_TIME = process.platform === 'linux'

/** The processor time that a process has used so far, all of its threads together, in steps of 10 ms. */
export function processorMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Behind the command's name, which may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const PAGE_BYTES = 4_096

/** The memory that a process has resident. Linux only. */
export function residentBytesOf(pid: number): number {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return Number(pages) * PAGE_BYTES
}
