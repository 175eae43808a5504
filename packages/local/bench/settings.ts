/** A flush comes every five minutes in earnest; a benchmark that does not measure it calls it when it is done. */
export const NO_FLUSH = { FLUSH_SCHEDULE: '0 0 0 1 1 *' }
/** Reads come from one address here. */
export const MANY_READS = { PUBLIC_READ_LIMIT: '10000000' }
