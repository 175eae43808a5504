/** The only time limit of tests: what takes longer hangs. */
export const TEST_TIMEOUT_MS = 600_000
