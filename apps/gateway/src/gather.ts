import type { Gathering } from '@palanquin/service/departures'

/**
 * How long calls gather on their way to a service, to the log of the limits and to Redis (ms): a thousand requests a second share each hop by sixteen
 * then, and half of the answers wait 2 ms longer than with 8 (docs/adr/0034-calls-gather-for-milliseconds.md).
 */
export const GATHER_MS = 16

/** Of calls of a service. */
export const WRITES: Gathering = { everyMs: GATHER_MS }

/**
 * Of reads (profiles) a crowd sends a tenth as many: one that travels alone costs all processes four to six times as much as one
 * of sixteen, and whoever opens a page does not see three hundredths of a second. A few clients that all wait for their answers wait no longer.
 */
export const READS: Gathering = { everyMs: 48, quietMs: GATHER_MS }
