/**
 * The only time limit of tests: what takes longer hangs, since nothing takes a tenth of it on a quiet machine.
 * It does not measure speed; benchmarks do (`./palanquin bench`).
 */
export const TEST_TIMEOUT_MS = 600_000
