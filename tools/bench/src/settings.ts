/** Normally a flush runs every five minutes; benchmarks that do not measure it flush once at the end. */
const NO_FLUSH = { FLUSH_SCHEDULE: '0 0 0 1 1 *' }

const UNREACHED = '10000000'
/** All load comes from one address: limits by address are counted as usual, but not reached. */
const ONE_ADDRESS = {
  PUBLIC_READ_LIMIT: UNREACHED,
  PUBLIC_WRITE_LIMIT: UNREACHED,
  MAP_QUERY_LIMIT: UNREACHED,
  NEW_PARTICIPANT_LIMIT: UNREACHED,
}
export const BENCH_SETTINGS = { ...NO_FLUSH, ...ONE_ADDRESS }
