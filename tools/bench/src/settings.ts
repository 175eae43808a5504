/** A flush comes every five minutes in earnest; a benchmark that does not measure it calls it when it is done. */
export const NO_FLUSH = { FLUSH_SCHEDULE: '0 0 0 1 1 *' }

const UNREACHED = '10000000'
/** Everybody has one address here: limits by address are counted as in earnest, and not reached. Those by user hold. */
export const ONE_ADDRESS = {
  PUBLIC_READ_LIMIT: UNREACHED,
  PUBLIC_WRITE_LIMIT: UNREACHED,
  MAP_QUERY_LIMIT: UNREACHED,
  NEW_PARTICIPANT_LIMIT: UNREACHED,
}
export const BENCH_SETTINGS = { ...NO_FLUSH, ...ONE_ADDRESS }
