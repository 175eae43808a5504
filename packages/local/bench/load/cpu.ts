import { existsSync, readFileSync } from 'node:fs'

/** `USER_HZ`: 100 on every Linux that Bun runs on. */
const TICKS_PER_S = 100

/** Milliseconds of processor time (user and system) that a process has used; NaN where there is no /proc. */
export function cpuMsOf(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  // The second field is the program's name in parentheses, which may hold anything; the 14th and 15th are the times.
  const stat = readFileSync(file, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_S
}

/** The same of several, by name. */
export const cpuMsByName = (pids: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMsOf(pid)]))

/** Microseconds of processor time a request, by name, between two such looks. */
export const cpuUsEach = (
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
  requests: number,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) / requests) * 1_000]),
  )

/**
 * Megabytes of memory that a process has to itself, and of those that it may share with others (the program's own
 * code); NaN where the kernel does not say.
 */
export function memoryOf(pid: number): { ownMb: number; sharedMb: number } {
  const file = `/proc/${pid}/smaps_rollup`
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1_024
  const ownMb = mb('Private_Clean') + mb('Private_Dirty')
  return { ownMb, sharedMb: mb('Rss') - ownMb }
}

/** Megabytes of memory of a process alone, shared pages by share (PSS); NaN where the kernel does not say. */
export function memoryMbOf(pid: number): number {
  const file = `/proc/${pid}/smaps_rollup`
  if (!existsSync(file)) return Number.NaN
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1_024
}
