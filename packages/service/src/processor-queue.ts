import { readFileSync } from 'node:fs'

/** Nanoseconds that a thread ran; that it was ready to run while others had the processor; a count (Linux, sched-stats). */
const ACCOUNT = '/proc/self/schedstat'
const NS_PER_MS = 1e6

/**
 * How long the thread that handles requests has stood in line for a processor since it began, in milliseconds; 0 where the
 * system does not say. The lag of its loop shows less: a process that sleeps most of the time is woken at once, also on a machine
 * that has more to do than it can (2 ms under three times the load that it sustains, as on a quiet machine).
 */
export function queuedMs(): number {
  try {
    return Number(readFileSync(ACCOUNT, 'utf8').split(' ')[1] ?? 0) / NS_PER_MS
  } catch {
    return 0 // no Linux, or a kernel without sched-stats: downloads go by turns and do not rest
  }
}
