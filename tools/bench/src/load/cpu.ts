import { existsSync, readFileSync } from 'node:fs'
import { processTreeOf, statOf } from '@palanquin/embedded/process-table'

/** `USER_HZ`: 100 on every Linux that Bun runs on. */
const TICKS_PER_S = 100

const OWN_TIMES = [11, 12]
const TIMES_OF_ENDED_CHILDREN = [13, 14]

const ticks = (stat: readonly string[], fields: readonly number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0)

/** Milliseconds of processor time (user and system) that a process has used. */
export function cpuMsOf(pid: number): number {
  const stat = statOf(pid)
  return stat ? (ticks(stat, OWN_TIMES) * 1_000) / TICKS_PER_S : Number.NaN
}

/** The same with all its children, ended ones included: PostgreSQL has a process for each connection. */
export function cpuMsOfTree(pid: number): number {
  const stat = statOf(pid)
  if (!stat) return Number.NaN
  const children = processTreeOf(pid)
    .slice(1)
    .reduce((sum, child) => sum + ticks(statOf(child) ?? [], OWN_TIMES), 0)
  return ((ticks(stat, [...OWN_TIMES, ...TIMES_OF_ENDED_CHILDREN]) + children) * 1_000) / TICKS_PER_S
}

/** Milliseconds by the name of a server. */
export type Used = Readonly<Record<string, number>>
export type UsedBy = () => Used

/** Processor time between two snapshots, in total and by name, in µs per request. */
export function cpuUsEach(before: Used, after: Used, requests: number): { us: number; by: Used } {
  const by = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, ((ms - (before[name] ?? 0)) / requests) * 1_000]),
  )
  return { us: Object.values(by).reduce((sum, us) => sum + us, 0), by }
}

/** Private and shared memory of a process in MB; NaN where the kernel does not say. */
export function memoryOf(pid: number): { ownMb: number; sharedMb: number } {
  const file = `/proc/${pid}/smaps_rollup`
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1_024
  const ownMb = mb('Private_Clean') + mb('Private_Dirty')
  return { ownMb, sharedMb: mb('Rss') - ownMb }
}

/** Proportional memory (PSS) of a process in MB; NaN where the kernel does not say. */
export function memoryMbOf(pid: number): number {
  const file = `/proc/${pid}/smaps_rollup`
  if (!existsSync(file)) return Number.NaN
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(file, 'utf8'))?.[1]) / 1_024
}
