import type { Gathering } from '@palanquin/service/departures'

/**
 * How long calls gather to be counted in Redis (ms), and then travel on together: a thousand requests a second share each hop by
 * sixteen then, and half of the answers wait 2 ms longer than with 8 (docs/adr/0034-calls-gather-for-milliseconds.md).
 */
export const GATHER_MS = 16

/**
 * Reads (profiles) gather so much longer, because a crowd sends a tenth as many: one that travels alone costs all processes four to
 * six times as much as one of sixteen, and whoever opens a page does not see three hundredths of a second. A few clients that all wait for their answers wait no longer.
 */
export const READS: Gathering = { everyMs: 32, quietMs: GATHER_MS }
